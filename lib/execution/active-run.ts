import type { MessageCommand, TaskOrigin } from '../interfaces/queue-manager.js';
import { isTerminal } from '../protocol/task-state.js';
import type { TaskState, StreamResponse } from '../protocol/model.js';
import { ExecutorRequestContext } from './executor-request-context.js';
import { publicError, publicFailure } from './failure.js';
import { QueueTaskUpdater } from './queue-task-updater.js';
import { RunSignal } from './run-signal.js';
import { RunEventQueue } from './run-event-queue.js';
import { statusUpdate } from './status-update.js';
import type { Completion } from './emit-result.js';
import type { RunServices } from './run-services.js';
import type { TaskWriter } from './task-writer.js';

const FORGOTTEN = 'The agent returned without ending, pausing or detaching the task';

/** One run of an executor for one message. It ends with the executor, or without it when it was canceled or interrupted. */
export class ActiveRun {
  readonly #signal = new RunSignal();
  readonly #queue: RunEventQueue;
  readonly #context: ExecutorRequestContext;
  #giveUp = (): void => {};
  #cancelled = false;
  #gone = false;
  #graceTimer: NodeJS.Timeout | undefined;
  #publishing: NodeJS.Timeout | undefined;

  constructor(
    private readonly command: MessageCommand,
    attempt: number,
    origin: TaskOrigin,
    private readonly writer: TaskWriter,
    private readonly services: RunServices,
  ) {
    this.#queue = new RunEventQueue(writer, command.message);
    this.#context = new ExecutorRequestContext({
      taskId: writer.taskId,
      origin,
      command,
      attempt,
      task: writer.task(),
      signal: this.#signal,
      updater: new QueueTaskUpdater(writer.taskId, writer.contextId, this.#queue, () =>
        services.ids.artifactId(),
      ),
      reader: services.reader,
      urls: services.urls,
    });
  }

  get detached(): boolean {
    return this.#queue.detached;
  }

  get paused(): boolean {
    return this.#queue.paused;
  }

  /** Resolves when nothing more will come of this run. Never rejects. */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      this.#giveUp = () => {
        clearTimeout(this.#publishing);
        clearTimeout(this.#graceTimer);
        this.#queue.end();
        resolve();
      };
      // A run that was given up goes on without anybody: whatever it still does is refused, and never rejects.
      void this.#work();
      if (!this.writer.published) this.#publishSoon();
    });
  }

  /** Aborts the signal, calls the executor's `cancel()`, and gives the run up after the grace period. */
  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#graceTimer = setTimeout(
      () => this.#end('TASK_STATE_CANCELED'),
      this.services.options.cancelGraceMs,
    );
    this.#signal.abort();
    this.services.invoker.cancel(this.#context, this.#queue).catch((error: unknown) => {
      // Logged; the task is canceled all the same, when the run ends or the grace period does.
      publicFailure(error, this.writer.taskId);
    });
  }

  /** Ends the task as FAILED, or as CANCELED where that was asked for, without waiting for the executor. */
  interrupt(reason: string, text: string): void {
    if (this.#cancelled) this.#end('TASK_STATE_CANCELED');
    else this.#end('TASK_STATE_FAILED', text, { reason });
    this.#signal.abort();
  }

  /** The task goes on without this run: the executor is told, and whatever it does is refused. */
  giveUp(): void {
    this.#gone = true;
    this.#giveUp();
    this.#signal.abort();
  }

  async #work(): Promise<void> {
    try {
      await this.#conclude(await this.services.invoker.execute(this.#context, this.#queue));
    } catch (error) {
      await this.#fail(error);
    }
    this.#giveUp();
  }

  #publishSoon(): void {
    const { firstEventMs, immediateFirstEventMs } = this.services.options;
    const delay = this.command.configuration?.returnImmediately ? immediateFirstEventMs : firstEventMs;
    this.#publishing = setTimeout(() => this.writer.publish(this.command.message), delay);
  }

  /** Leaves the task as the rules of executors say; nothing to wait for when the executor ended it. */
  #conclude(completion: Completion): Promise<void> | undefined {
    if (this.#gone || this.writer.closed) return undefined;
    if (this.#cancelled) return this.#emit('TASK_STATE_CANCELED');
    if (this.detached) {
      this.writer.publish(this.command.message);
      return undefined;
    }
    if (this.#queue.paused) return undefined;
    if (completion === 'finished') return this.#emit('TASK_STATE_COMPLETED');
    return this.#emit('TASK_STATE_FAILED', FORGOTTEN);
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#gone || this.writer.closed) return;
    if (this.#cancelled) return this.#emit('TASK_STATE_CANCELED');
    const refusal = this.writer.published ? undefined : publicError(error);
    if (refusal) {
      const { reason, message, details } = refusal;
      await this.writer.emit({ error: { reason, message, details } }).catch(() => {});
    } else {
      await this.#emit('TASK_STATE_FAILED', publicFailure(error, this.writer.taskId));
    }
  }

  #end(state: TaskState, text?: string, metadata?: StreamMetadata): void {
    void this.#emit(state, text, metadata).then(() => this.#giveUp());
  }

  /** The first end wins: one that comes later is dropped. */
  async #emit(state: TaskState, text?: string, metadata?: StreamMetadata): Promise<void> {
    if (this.#gone || this.writer.closed) return;
    this.writer.publish(this.command.message);
    await this.writer.emit(statusUpdate(this.writer, state, text, metadata)).catch(() => {});
    if (isTerminal(state)) this.#queue.end();
  }
}

type StreamMetadata = NonNullable<StreamResponse['statusUpdate']>['metadata'];
