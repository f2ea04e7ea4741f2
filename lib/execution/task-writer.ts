import { Logger } from '@nestjs/common';
import type { Message, Task, TaskState } from '../protocol/model.js';
import { TaskProjection } from '../protocol/task-projection.js';
import { timestampNow } from '../protocol/timestamp.js';
import { TaskEndedError } from '../interfaces/event-queue.js';
import {
  LeaseLostError,
  TaskLogNotFoundError,
  type Lease,
  type LogEvent,
  type LogRecord,
  type QueueManager,
  type TaskCommand,
  type TaskOrigin,
} from '../interfaces/queue-manager.js';
import { applyRecord } from '../interfaces/log-record.js';
import { nextTurn } from '../interfaces/next-turn.js';
import { KnownArtifacts } from './known-artifacts.js';
import { endsLog, isEnd, isOpenChunk, statusOf } from './log-event.js';
import { Patience } from './patience.js';
import { quiet } from './quiet.js';
import type { SnapshotSaver } from './snapshot-saver.js';
import { EventBatch } from './event-batch.js';

const logger = new Logger('A2A');
const DONE = Promise.resolve();

export interface WriterLimits {
  readonly runAheadEvents: number;
  readonly runAheadBytes: number;
  /** How long a log that cannot be reached is waited for, in ms: then the lease may be another's. */
  readonly leaseTtlMs: number;
}

/**
 * The one writer of a task while it holds the lease: it logs events in order, knows the task as the log tells it, and saves snapshots.
 * Nothing is shown before it is logged.
 */
export class TaskWriter {
  readonly taskId: string;
  readonly contextId: string;
  /** For what is done with log and store, as long as the lease may still be this writer's. */
  readonly patience: Patience;
  /** Called for each command that the writer meets in the log. */
  onCommand: (sequence: number, command: TaskCommand) => void = () => {};
  /** Called once when the lease was lost. */
  onLost: () => void = () => {};

  #batch: EventBatch | undefined;
  #draining: Promise<void> | undefined;
  /** Events of the append that is under way. */
  #inFlight = 0;
  #aheadEvents = 0;
  #aheadBytes = 0;
  /** Published or about to be: the Task event is at least in a batch. */
  #published: boolean;
  readonly #artifacts: KnownArtifacts;
  #closing: boolean;
  #lost = false;
  #state: TaskState | undefined;

  constructor(
    private readonly lease: Lease,
    origin: TaskOrigin,
    private readonly projection: TaskProjection,
    private readonly queue: QueueManager,
    private readonly saver: SnapshotSaver,
    private readonly limits: WriterLimits,
  ) {
    this.taskId = lease.taskId;
    this.contextId = origin.contextId;
    this.patience = new Patience(limits.leaseTtlMs, () => this.#lost);
    this.#published = projection.published;
    this.#closing = projection.ended;
    this.#state = projection.state;
    this.#artifacts = new KnownArtifacts(projection.artifactIds);
  }

  /** Whether nothing more can be emitted: the task has ended, or the lease was lost. */
  get closed(): boolean {
    return this.#closing || this.#lost;
  }

  get lost(): boolean {
    return this.#lost;
  }

  get published(): boolean {
    return this.#published;
  }

  /** State after all that was emitted so far; undefined before the task is published. */
  get state(): TaskState | undefined {
    return this.#state;
  }

  /** Number of the last record that the writer knows. */
  get seen(): number {
    return this.projection.sequence;
  }

  /** The task after all that was logged so far. */
  task(): Task | undefined {
    return this.projection.published ? this.projection.snapshot() : undefined;
  }

  /** Publishes the task as SUBMITTED, unless it is published. */
  publish(message: Message): void {
    if (this.#published || this.closed) return;
    const { taskId: id, contextId } = this;
    const timestamp = timestampNow();
    this.#push({
      task: { id, contextId, status: { state: 'TASK_STATE_SUBMITTED', timestamp }, history: [message] },
    });
    // What is emitted right after it is logged with it.
    queueMicrotask(() => this.#kick());
  }

  /**
   * Emits an event that is complete. Resolves when logged for status changes and closing chunks, and at once for other chunks
   * while the run-ahead has room. Rejects with TaskEndedError.
   */
  emit(event: LogEvent): Promise<void> {
    if (this.closed) return quiet(Promise.reject(new TaskEndedError(this.taskId)));
    const batch = this.#push(event);
    if (!isOpenChunk(event)) {
      // Asked for before: a log may refuse at once.
      const { done } = batch;
      this.#kick();
      return done;
    }
    this.#kickSoon();
    return this.#isTooFarAhead() ? batch.done : DONE;
  }

  /** Resolves when everything emitted so far is logged. */
  flush(): Promise<void> {
    return this.#batch || this.#draining ? this.#flushAll() : DONE;
  }

  /** Whether a log that ends with this number holds nothing that the writer does not know or is about to. */
  expects(sequence: number): boolean {
    return sequence <= this.projection.sequence + this.#inFlight;
  }

  /** Reads what others have appended to the log, and applies it. */
  async catchUp(hint?: number): Promise<void> {
    await this.flush();
    if (this.#lost || (hint !== undefined && hint <= this.projection.sequence)) return;
    this.#applyRecords(await this.#read());
  }

  /** Emits nothing more: the log was closed by a writer before this one. */
  close(): void {
    this.#closing = true;
  }

  /** A run begins anew: the first chunk of each of these artifacts replaces what an earlier one left of it. */
  reopen(artifactIds: Iterable<string>): void {
    this.#artifacts.forget(artifactIds);
  }

  /** Writes nothing more: the lease is another's, or the log cannot be reached. */
  lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.onLost();
  }

  /** Resolves when everything is logged and the snapshot that holds it is saved. */
  settle(): Promise<void> {
    if (this.#batch || this.#draining) return this.#flushAll().then(() => this.settle());
    if (!this.projection.published || this.#lost) return DONE;
    return this.patience.do(() => this.saver.saveNow(this.projection));
  }

  #push(event: LogEvent): EventBatch {
    const batch = (this.#batch ??= new EventBatch());
    const state = statusOf(event)?.state;
    if (state) {
      this.#published = true;
      this.#state = state;
    }
    this.#closing = endsLog(event);
    const bytes = batch.add(this.#artifacts.settle(event));
    this.#aheadEvents += 1;
    this.#aheadBytes += bytes;
    return batch;
  }

  #isTooFarAhead(): boolean {
    return this.#aheadEvents >= this.limits.runAheadEvents || this.#aheadBytes >= this.limits.runAheadBytes;
  }

  /** Leaves the turn to others first, so that chunks gather and a busy executor does not starve the process. */
  #kickSoon(): void {
    this.#draining ??= this.#drain(nextTurn());
  }

  #kick(): void {
    if (this.#batch) this.#draining ??= this.#drain();
  }

  async #flushAll(): Promise<void> {
    while (this.#batch || this.#draining) {
      this.#kick();
      await this.#draining;
    }
  }

  async #drain(start?: Promise<void>): Promise<void> {
    if (start) await start;
    for (let batch = this.#batch; batch; batch = this.#batch) {
      this.#batch = undefined;
      try {
        if (this.#lost) throw new LeaseLostError(this.taskId);
        for (const group of batch.groups(this.projection.published)) {
          // Only the first of a group can be a Task that is emitted again.
          const events = this.#complete(group);
          this.#inFlight = events.length;
          const options = { close: endsLog(events.at(-1)!), after: this.projection.sequence };
          const last = await this.patience.do(() => this.queue.append(this.lease, events, options));
          this.#inFlight = 0;
          if (last === this.projection.sequence + events.length) this.#applyOwn(events, last);
          else await this.#applyUpTo(last);
          if (this.projection.published) this.saver.consider(this.projection, events, batch.bytes);
        }
        batch.resolve();
      } catch (error) {
        this.#fail(batch, error);
      }
      this.#aheadEvents -= batch.events.length;
      this.#aheadBytes -= batch.bytes;
    }
    this.#draining = undefined;
  }

  #fail(batch: EventBatch, error: unknown): void {
    this.lose();
    batch.reject(isEnd(error) ? new TaskEndedError(this.taskId) : error);
    // The executor may not look, and nobody else knows.
    if (!isEnd(error)) logger.error(`Events of task ${this.taskId} were not logged`, error);
  }

  #applyOwn(events: readonly LogEvent[], last: number): void {
    this.projection.sequence = last;
    for (const event of events) if (!('error' in event)) this.projection.apply(event);
  }

  /** Commands came in between: what the log says, in the log's order, is what counts. */
  async #applyUpTo(last: number): Promise<void> {
    while (this.projection.sequence < last) {
      const records = await this.#read();
      if (records.length === 0) throw new TaskLogNotFoundError(this.taskId);
      this.#applyRecords(records);
    }
  }

  #read(): Promise<readonly LogRecord[]> {
    return this.patience.do(() => this.queue.read(this.taskId, this.projection.sequence));
  }

  /** A Task that is emitted again goes out whole. */
  #complete(events: readonly LogEvent[]): readonly LogEvent[] {
    const first = events[0];
    if (!first || 'error' in first || !first.task || !this.projection.published) return events;
    const merged = new TaskProjection(this.projection.snapshot());
    merged.apply(first);
    return [{ task: merged.snapshot() }, ...events.slice(1)];
  }

  /** A record that was read is known already when the append or another read that told of it was faster. */
  #applyRecords(records: readonly LogRecord[]): void {
    for (const record of records) {
      if (record.sequence <= this.projection.sequence) continue;
      applyRecord(this.projection, record);
      if (record.command) this.onCommand(record.sequence, record.command);
    }
  }
}
