import type {
  LogEvent,
  LogHead,
  LogRecord,
  RunState,
  TaskCommand,
  TaskOrigin,
} from '../interfaces/queue-manager.js';

/** One task's log in memory: its records, its head and its watchers. */
export class MemoryLog {
  readonly #records: LogRecord[] = [];
  #watchers: Set<(sequence?: number) => void> | undefined;
  /** Numbers of the message commands that no run has taken yet. */
  readonly #pending: number[] = [];
  token = 0;
  holder: string | undefined;
  leaseExpiresAt = 0;
  runState: RunState = 'queued';
  taken = 0;
  closedAt: number | undefined;
  #lastCommand = 0;

  constructor(
    readonly taskId: string,
    readonly origin: TaskOrigin,
  ) {}

  get closed(): boolean {
    return this.closedAt !== undefined;
  }

  get sequence(): number {
    return this.#records.length;
  }

  get pending(): number {
    return this.#pending.length;
  }

  get lastCommand(): number {
    return this.#lastCommand;
  }

  isHeld(now: number): boolean {
    return this.holder !== undefined && this.leaseExpiresAt > now;
  }

  head(now: number): LogHead {
    const { taskId, origin, sequence, token, runState, taken, closed } = this;
    const holder = this.isHeld(now) ? this.holder : undefined;
    return {
      ...origin,
      taskId,
      sequence,
      firstSequence: 1,
      token,
      runState,
      taken,
      closed,
      ...(holder && { holder }),
    };
  }

  addCommand(command: TaskCommand): number {
    const sequence = this.sequence + 1;
    this.#records.push({ sequence, command });
    this.#lastCommand = sequence;
    if (command.kind === 'message') this.#pending.push(sequence);
    return sequence;
  }

  addEvents(events: readonly LogEvent[]): number {
    const { taken } = this;
    for (const event of events) this.#records.push({ sequence: this.sequence + 1, event, taken });
    return this.sequence;
  }

  take(sequence: number): void {
    this.taken = sequence;
    while (this.#pending.length > 0 && this.#pending[0]! <= sequence) this.#pending.shift();
  }

  /** Records are numbered from 1 without gaps, so a number is an index. */
  after(sequence: number, limit: number): readonly LogRecord[] {
    return sequence >= this.sequence ? NOTHING : this.#records.slice(sequence, sequence + limit);
  }

  watch(listener: (sequence?: number) => void): () => void {
    const watchers = (this.#watchers ??= new Set());
    watchers.add(listener);
    return () => watchers.delete(listener);
  }

  wake(): void {
    if (this.#watchers) for (const listener of this.#watchers) listener(this.sequence);
  }
}

const NOTHING: readonly LogRecord[] = [];
