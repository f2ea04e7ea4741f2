import { fromReason } from '../protocol/error-from-reason.js';
import { InternalError, type A2AError } from '../protocol/errors.js';
import { isTerminal } from '../protocol/task-state.js';
import { weighEvent } from '../protocol/weight.js';
import type { LogEvent, LoggedError, LogRecord, QueueManager } from '../interfaces/queue-manager.js';
import type { EventStream, FollowOptions, NumberedEvent } from '../interfaces/task-reader.js';
import type { TaskRecord } from '../interfaces/task-store.js';

/** Bytes that one read hands out at most, so that a slow reader costs a cursor and not a buffer. */
const BATCH_BYTES = 64 * 1024;

/** A cursor on a task's log. */
export class LogStream implements EventStream {
  readonly #unwatch: () => void;
  #cursor: number;
  #opened: boolean;
  #ended = false;
  #changed = true;
  #wake: (() => void) | undefined;

  constructor(
    private readonly taskId: string,
    private readonly queue: QueueManager,
    private readonly open: () => Promise<TaskRecord | undefined>,
    private readonly options: FollowOptions,
  ) {
    this.#cursor = options.after ?? 0;
    this.#opened = !options.snapshot;
    this.#unwatch = queue.watch(taskId, () => this.#signal());
  }

  async read(): Promise<readonly NumberedEvent[] | undefined> {
    if (!this.#opened) return this.#readSnapshot();
    while (!this.#ended) {
      const woken = this.#changed;
      this.#changed = false;
      const records = await this.queue.read(this.taskId, this.#cursor);
      if (this.#ended) break;
      const batch = this.#take(records);
      if (batch.length > 0) return batch;
      if (records.length > 0) continue;
      // Woken, and nothing to read: the log may be closed or gone.
      if (woken && (await this.#isOver())) break;
      if (!this.#changed) await this.#change();
    }
    this.close();
    return undefined;
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
      for (const record of records)
        if (record.event && record.sequence <= sequence) paused = isPause(record.event, paused);
      cursor = records.at(-1)!.sequence;
    }
    return paused;
  }

  #take(records: readonly LogRecord[]): NumberedEvent[] {
    const batch: NumberedEvent[] = [];
    let bytes = 0;
    for (const { sequence, event } of records) {
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
      this.#ended = this.#endsWith(event);
    }
    return batch;
  }

  #endsWith(event: Exclude<LogEvent, { error: unknown }>): boolean {
    if (event.message) return true;
    const state = event.statusUpdate?.status.state ?? event.task?.status.state;
    return state !== undefined && (isTerminal(state) || (this.options.untilPaused && isPause(event, false)));
  }

  async #isOver(): Promise<boolean> {
    const head = await this.queue.head(this.taskId);
    return !head || (head.closed && this.#cursor >= head.sequence);
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

/** Whether the agent waits for input after this event, given whether it did before. */
function isPause(event: LogEvent, paused: boolean): boolean {
  if ('error' in event) return paused;
  const state = event.statusUpdate?.status.state ?? event.task?.status.state;
  return state === undefined ? paused : state === 'TASK_STATE_INPUT_REQUIRED';
}
