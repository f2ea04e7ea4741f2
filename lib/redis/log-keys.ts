/** Names of keys and channels. All keys of a task carry its id as hash tag, so a cluster keeps them in one slot. */
export class LogKeys {
  /** Sorted set of who must look at which log, and when. */
  readonly due: string;
  /** Sorted set of closed logs by the time of their end. */
  readonly closed: string;

  constructor(private readonly prefix: string) {
    this.due = `${prefix}:{index}:due`;
    this.closed = `${prefix}:{index}:closed`;
  }

  /** What every script on a log gets as KEYS: its head, its records, the numbers of waiting messages, ids of messages, and what is left of it. */
  of(taskId: string): readonly string[] {
    const log = this.#tagged(taskId);
    return [`${log}:head`, `${log}:log`, `${log}:waiting`, `${log}:once`, `${log}:gone`];
  }

  /** Where changes of a log are told. */
  channel(taskId: string): string {
    return this.#tagged(taskId);
  }

  claim(key: string): string {
    return `${this.prefix}:claim:${key}`;
  }

  /** Braces inside of an id would end its tag. */
  #tagged(taskId: string): string {
    return `${this.prefix}:{${taskId.replaceAll(/[%{}]/g, encodeURIComponent)}}`;
  }
}
