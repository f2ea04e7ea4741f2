import type {
  LogEvent,
  LogFloor,
  LogHead,
  LogRecord,
  RunState,
  TaskCommand,
  TaskOrigin,
} from '../interfaces/queue-manager.js';

/** One task's log in memory: its records, its head and its watchers. */
export class MemoryLog {
  #records: LogRecord[] = [];
  #watchers: Set<(sequence?: number) => void> | undefined;
  /** Numbers of the message commands that no run has taken yet. */
  #pending: number[] | undefined;
  token = 0;
  holder: string | undefined;
  leaseExpiresAt = 0;
  runState: RunState = 'queued';
  taken = 0;
  /** When the last command came, in ms since the epoch. */
  commandAt = 0;
  closedAt: number | undefined;
  #lastCommand = 0;
  /** Number of the last event. */
  lastEvent = 0;
  /** How often the message that was taken last was taken, and under which lease. */
  #attempt = 0;
  #takenBy = 0;
  /** Numbers of the messages that are here once, by their ids. */
  #once: Map<string, number> | undefined;

  constructor(
    readonly taskId: string,
    readonly origin: TaskOrigin,
    private readonly floor: LogFloor = NO_FLOOR,
  ) {
    this.token = floor.token;
    this.taken = floor.sequence;
  }

  /** Whether no lease was ever taken. */
  get untouched(): boolean {
    return this.token === this.floor.token;
  }

  get closed(): boolean {
    return this.closedAt !== undefined;
  }

  get sequence(): number {
    return this.floor.sequence + this.#records.length;
  }

  get pending(): number {
    return this.#pending?.length ?? 0;
  }

  get lastCommand(): number {
    return this.#lastCommand;
  }

  /** Whether somebody should work on the log and nobody does. */
  isAbandoned(now: number, queuedBefore: number): boolean {
    if (this.holder !== undefined) return this.leaseExpiresAt <= now;
    if (this.closed || this.runState === 'detached') return false;
    const waits = this.runState === 'queued' || this.#lastCommand > this.taken;
    return waits && this.commandAt < queuedBefore;
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
      firstSequence: this.floor.sequence + 1,
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
    this.commandAt = Date.now();
    if (command.kind === 'message') {
      // Not an empty array to begin with: that would be given room for many, and logs are kept for long.
      if (this.#pending) this.#pending.push(sequence);
      else this.#pending = [sequence];
      if (command.once !== undefined) (this.#once ??= new Map()).set(command.message.messageId, sequence);
    }
    return sequence;
  }

  /** Number of the command that is the same message; undefined when it may come more than once, or did not come yet. */
  repeated(command: TaskCommand): number | undefined {
    if (command.kind !== 'message' || command.once === undefined) return undefined;
    return this.#once?.get(command.message.messageId);
  }

  addEvents(events: readonly LogEvent[]): number {
    const { taken } = this;
    for (const event of events) this.#records.push({ sequence: this.sequence + 1, event, taken });
    return (this.lastEvent = this.sequence);
  }

  take(sequence: number): number {
    if (this.taken !== sequence) this.#attempt = 1;
    else if (this.#takenBy !== this.token) this.#attempt += 1;
    this.#takenBy = this.token;
    this.taken = sequence;
    const left = this.#pending?.filter((waiting) => waiting > sequence);
    this.#pending = left?.length ? left : undefined;
    return this.#attempt;
  }

  close(): void {
    this.closedAt = Date.now();
    // Without the room for more: logs are kept for long.
    this.#records = this.#records.slice();
  }

  /** Records are numbered without gaps, so a number is an index. */
  after(sequence: number, limit: number): readonly LogRecord[] {
    if (sequence >= this.sequence) return NOTHING;
    const start = Math.max(0, sequence - this.floor.sequence);
    return this.#records.slice(start, start + limit);
  }

  watch(listener: (sequence?: number) => void): () => void {
    const watchers = (this.#watchers ??= new Set());
    watchers.add(listener);
    return () => {
      watchers.delete(listener);
      // Logs of finished tasks are kept for long, and nobody watches most of them.
      if (watchers.size === 0 && this.#watchers === watchers) this.#watchers = undefined;
    };
  }

  wake(): void {
    if (this.#watchers) for (const listener of this.#watchers) listener(this.sequence);
  }
}

const NOTHING: readonly LogRecord[] = [];
const NO_FLOOR: LogFloor = { sequence: 0, token: 0 };
