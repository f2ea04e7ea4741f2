import { InvalidAgentResponseError } from '../protocol/errors.js';
import type { Message, StreamResponse, TaskState } from '../protocol/model.js';
import { isInterrupted } from '../protocol/task-state.js';
import { timestampNow } from '../protocol/timestamp.js';
import { TaskEndedError, type Emission, type EventQueue } from '../interfaces/event-queue.js';
import { normalizeEvent, taskMessage } from './normalize-event.js';
import { quiet } from './quiet.js';
import type { TaskWriter } from './task-writer.js';

/** The event queue of one run: what the executor may still do, and how it left the task. */
export class RunEventQueue implements EventQueue {
  #over = false;
  #detached = false;
  /** The executor itself has emitted events of the task, so a Message cannot be its answer any more. */
  #usesTask = false;
  #lastState: TaskState | undefined;

  constructor(
    private readonly writer: TaskWriter,
    private readonly message: Message,
  ) {}

  get detached(): boolean {
    return this.#detached;
  }

  /** Whether the last status of this run leaves the task to somebody else. */
  get paused(): boolean {
    return this.#lastState !== undefined && isInterrupted(this.#lastState);
  }

  /** The run is over: nothing more is taken, though the executor may not know. */
  end(): void {
    this.#over = true;
  }

  detach(): void {
    this.#detached = true;
  }

  enqueueEvent(emission: Emission): Promise<void> {
    try {
      return this.#enqueue(emission);
    } catch (error) {
      return quiet(Promise.reject(error as Error));
    }
  }

  /** Rejects when the run was given up, or the log refused what it emitted: then not all of it is logged. */
  flush(): Promise<void> {
    return quiet(this.#flush());
  }

  async #flush(): Promise<void> {
    await this.writer.flush();
    if (this.#over || this.writer.lost) throw new TaskEndedError(this.writer.taskId);
  }

  #enqueue(emission: Emission): Promise<void> {
    if (this.#over || this.writer.closed) throw new TaskEndedError(this.writer.taskId);
    const event = normalizeEvent(emission, this.writer);
    if (event.message) return this.#answer(event.message);
    this.#usesTask = true;
    this.#lastState = (event.statusUpdate ?? event.task)?.status.state ?? this.#lastState;
    if (event.task) return this.writer.emit({ task: this.#withMessage(event.task) });
    this.writer.publish(this.message);
    return this.writer.emit(event);
  }

  /** A Message is the whole answer; where the task is published already, it says how the task was completed. */
  #answer(message: Message): Promise<void> {
    if (this.#usesTask) {
      throw new InvalidAgentResponseError(
        'The agent answered with a Message after it had emitted events of a task',
      );
    }
    if (!this.writer.published) return this.writer.emit({ message });
    return this.writer.emit(completion(message, this.writer));
  }

  #withMessage(task: NonNullable<StreamResponse['task']>): NonNullable<StreamResponse['task']> {
    const { history = [] } = task;
    if (this.writer.published || history.some(({ messageId }) => messageId === this.message.messageId))
      return task;
    return { ...task, history: [this.message, ...history] };
  }
}

function completion(message: Message, writer: TaskWriter): StreamResponse {
  const { taskId, contextId } = writer;
  const status = {
    state: 'TASK_STATE_COMPLETED' as const,
    message: taskMessage(message, writer),
    timestamp: timestampNow(),
  };
  return { statusUpdate: { taskId, contextId, status } };
}
