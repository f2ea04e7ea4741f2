import { fromReason } from '../protocol/error-from-reason.js';
import { InternalError, UnavailableError, type A2AError } from '../protocol/errors.js';
import { nextTurn } from '../interfaces/next-turn.js';
import type { TaskState } from '../protocol/model.js';
import { isTerminal } from '../protocol/task-state.js';
import { weighEvent } from '../protocol/weight.js';
import type { LogEvent, LoggedError, LogRecord, QueueManager } from '../interfaces/queue-manager.js';
import type { EventStream, FollowOptions, NumberedEvent } from '../interfaces/task-reader.js';
import type { TaskRecord } from '../interfaces/task-store.js';

/** Bytes that one read hands out at most, so that a slow reader costs a cursor and not a buffer. */
const BATCH_BYTES = 64 * 1024;
/** Records that one read asks for. */
const BATCH_RECORDS = 256;

export interface LogStreamOptions extends FollowOptions {
  /** Where `untilPaused` is true: end after an AUTH_REQUIRED event, too, as blocking sends do. */
  readonly untilAuth?: boolean;
}

/** A cursor on a task's log. */
export class LogStream implements EventStream {
  readonly #unwatch: () => void;
  #cursor: number;
  #opened: boolean;
  #ended = false;
  #finishing = false;
  #fresh = true;
  #changed = true;
  /** Whether the last read told all there was, and all of it was handed out. */
  #exhausted = false;
  #wake: (() => void) | undefined;

  constructor(
    private readonly taskId: string,
    private readonly queue: QueueManager,
    private readonly open: () => Promise<TaskRecord | undefined>,
    private readonly options: LogStreamOptions,
  ) {
    this.#cursor = options.after ?? 0;
    this.#opened = !options.snapshot;
    this.#unwatch = queue.watch(taskId, () => this.#signal());
  }

  async read(): Promise<readonly NumberedEvent[] | undefined> {
    if (!this.#opened) return this.#readSnapshot();
    if (this.#fresh) {
      this.#fresh = false;
      // A task that is done at once is done by then, and one read tells all of it.
      await nextTurn();
    }
    while (!this.#ended) {
      // To look again for what nobody told of would double the reads of a log far away.
      if (this.#exhausted && !this.#changed) {
        await this.#change();
        continue;
      }
      const woken = this.#changed;
      const finishing = this.#finishing;
      this.#changed = false;
      const records = await this.queue.read(this.taskId, this.#cursor, BATCH_RECORDS);
      if (this.#ended) break;
      const batch = this.#take(records);
      this.#exhausted =
        records.length < BATCH_RECORDS && this.#cursor >= (records.at(-1)?.sequence ?? this.#cursor);
      if (batch.length > 0) return batch;
      if (records.length > 0) continue;
      // Woken, and nothing to read: the log may be closed or gone.
      if (finishing || (woken && (await this.#isOver()))) break;
    }
    this.close();
    return undefined;
  }

  finish(): void {
    this.#finishing = true;
    this.#signal();
  }

  close(): void {
    this.#ended = true;
    this.#unwatch();
    this.#signal();
  }

  async #readSnapshot(): Promise<readonly NumberedEvent[] | undefined> {
    this.#opened = true;
    const record = await this.open();
    if (!record || this.#ended) {
      this.close();
      return undefined;
    }
    const { task, sequence } = record;
    if (isTerminal(task.status.state) || (await this.#pausedBy(sequence))) this.#ended = true;
    this.#cursor = sequence;
    return [{ sequence, event: { task } }];
  }

  /** Whether the story that the opening snapshot tells, up to its number, ends with a pause. */
  async #pausedBy(sequence: number): Promise<boolean> {
    if (this.options.after === undefined || !this.options.untilPaused) return false;
    let paused = false;
    for (let cursor = this.options.after; cursor < sequence;) {
      const records = await this.queue.read(this.taskId, cursor);
      if (records.length === 0) break;
      for (const record of records) if (record.sequence <= sequence) paused = this.#isPaused(record, paused);
      cursor = records.at(-1)!.sequence;
    }
    return paused;
  }

  #take(records: readonly LogRecord[]): NumberedEvent[] {
    const batch: NumberedEvent[] = [];
    let bytes = 0;
    for (const record of records) {
      const { sequence, event } = record;
      if (bytes > BATCH_BYTES || this.#ended) break;
      if (event && 'error' in event) {
        if (batch.length > 0) break;
        this.close();
        throw refusal(event.error);
      }
      this.#cursor = sequence;
      if (!event) continue;
      batch.push({ sequence, event });
      bytes += weighEvent(event);
      const state = stateOf(event);
      this.#ended = event.message !== undefined || (state !== undefined && isTerminal(state));
      this.#ended ||= this.options.untilPaused && this.#isPaused(record, false);
    }
    return batch;
  }

  /** Whether the agent waits for the caller after this record, given whether it did before. */
  #isPaused({ event, taken }: LogRecord, paused: boolean): boolean {
    const state = event && stateOf(event);
    if (state === undefined) return paused;
    const { message = 0, untilAuth } = this.options;
    const waits =
      state === 'TASK_STATE_INPUT_REQUIRED' || (untilAuth && state === 'TASK_STATE_AUTH_REQUIRED');
    return Boolean(waits) && (taken ?? 0) >= message;
  }

  async #isOver(): Promise<boolean> {
    const head = await this.queue.head(this.taskId);
    if (head) return head.closed && this.#cursor >= head.sequence;
    // A message that nobody answered, in a log that is gone, of a task that was never published: it was withdrawn.
    if (this.#cursor === this.options.message && !(await this.open())) throw withdrawn();
    return true;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #signal(): void {
    this.#changed = true;
    const wake = this.#wake;
    if (!wake) return;
    this.#wake = undefined;
    // What else comes in this turn of the event loop is read with it.
    setImmediate(wake);
  }
}

function refusal({ reason, message, details }: LoggedError): A2AError {
  return fromReason(reason, message, details) ?? new InternalError();
}

function withdrawn(): UnavailableError {
  return new UnavailableError('No worker has taken the message up in time; send it again later', {
    retryAfterSeconds: 5,
  });
}

function stateOf(event: LogEvent): TaskState | undefined {
  return 'error' in event ? undefined : (event.statusUpdate ?? event.task)?.status.state;
}
