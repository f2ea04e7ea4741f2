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
  readonly #records: LogRecord[] = [];
  #watchers: Set<(sequence?: number) => void> | undefined;
  /** Numbers of the message commands that no run has taken yet. */
  readonly #pending: number[] = [];
  token = 0;
  holder: string | undefined;
  leaseExpiresAt = 0;
  runState: RunState = 'queued';
  taken = 0;
  /** How often the message that was taken last was taken. */
  attempt = 0;
  /** When the last command came, in ms since the epoch. */
  commandAt = 0;
  closedAt: number | undefined;
  #lastCommand = 0;

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
    return this.#pending.length;
  }

  get lastCommand(): number {
    return this.#lastCommand;
  }

  /** Whether somebody should work on the log and nobody does. */
  isAbandoned(now: number, queuedBefore: number): boolean {
    if (this.holder !== undefined) return this.leaseExpiresAt <= now;
    if (this.closed || this.runState === 'detached') return false;
    return this.#lastCommand > this.taken && this.commandAt < queuedBefore;
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
    if (command.kind === 'message') this.#pending.push(sequence);
    return sequence;
  }

  addEvents(events: readonly LogEvent[]): number {
    const { taken } = this;
    for (const event of events) this.#records.push({ sequence: this.sequence + 1, event, taken });
    return this.sequence;
  }

  take(sequence: number): number {
    this.attempt = this.taken === sequence ? this.attempt + 1 : 1;
    this.taken = sequence;
    while (this.#pending.length > 0 && this.#pending[0]! <= sequence) this.#pending.shift();
    return this.attempt;
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
    return () => watchers.delete(listener);
  }

  wake(): void {
    if (this.#watchers) for (const listener of this.#watchers) listener(this.sequence);
  }
}

const NOTHING: readonly LogRecord[] = [];
const NO_FLOOR: LogFloor = { sequence: 0, token: 0 };
