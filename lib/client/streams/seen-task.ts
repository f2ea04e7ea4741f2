import { isDeepStrictEqual } from 'node:util';
import type {
  JsonObject,
  JsonValue,
  Message,
  StreamResponse,
  Task,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
} from '../../protocol/model.js';
import { isTerminal } from '../../protocol/task-state.js';
import { resync } from './resync.js';
import { SeenArtifacts } from './seen-artifacts.js';

/** What is known of a stream before it begins. */
export interface Story {
  /** The task that is subscribed to. */
  readonly taskId?: string;
  /** The caller's own message, which is no news in a history. */
  readonly sent?: Message;
  /** Whether the caller asked for all of the history. */
  readonly wholeHistory: boolean;
}

/** What a caller has seen of a task, so that what is told again can be told apart from what is new. */
export class SeenTask {
  #taskId: string | undefined;
  #contextId: string | undefined;
  #status: TaskStatus | undefined;
  readonly #metadata = new Map<string, JsonValue>();
  readonly #artifacts = new SeenArtifacts();
  readonly #messages = new Set<string>();
  #begun = false;
  #ended = false;
  #paused = false;
  /** Whether this connection began with a snapshot older than what was seen. */
  #behind = false;

  constructor(private readonly story: Story) {
    this.#taskId = story.taskId;
    if (story.sent) this.#messages.add(story.sent.messageId);
  }

  get taskId(): string | undefined {
    return this.#taskId;
  }

  get state(): TaskState | undefined {
    return this.#status?.state;
  }

  /** Whether the caller has been told anything. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether nothing can follow: a Message, or the end of the task. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether the agent asks for input, and has begun to since the stream did: an opening Task may tell of a pause before it. */
  get paused(): boolean {
    return this.#paused;
  }

  reconnect(): void {
    this.#behind = false;
    this.#artifacts.reconnect();
  }

  /** The caller sees an event. */
  add(event: StreamResponse): void {
    const { task, message, statusUpdate, artifactUpdate } = event;
    const opening = !this.#begun;
    this.#begun = true;
    if (message) this.#ended = true;
    else if (task) this.#addTask(task, opening);
    else if (statusUpdate) {
      this.#name(statusUpdate);
      this.#addStatus(statusUpdate.status);
      this.#addMetadata(statusUpdate.metadata);
    } else if (artifactUpdate) {
      this.#name(artifactUpdate);
      this.#artifacts.add(artifactUpdate);
    }
  }

  /** The events that lead from what the caller has seen to a Task as it is now. */
  unseen(task: Task): StreamResponse[] {
    if (!this.#begun) return [{ task }];
    const ids = { taskId: task.id, contextId: task.contextId ?? this.#contextId ?? '' };
    const events: StreamResponse[] = this.#artifacts
      .unseen(task.artifacts ?? [], isTerminal(task.status.state))
      .map((change) => ({ artifactUpdate: { ...ids, ...change } }));
    this.#behind = this.#isOlder(task.status);
    if (this.#behind) return events;
    const metadata = this.#unseenMetadata(task);
    if (this.#hasUnseenMessages(task)) events.push(resync(task));
    else if (metadata || !this.#isSeen(task.status)) {
      events.push({ statusUpdate: { ...ids, status: task.status, ...(metadata && { metadata }) } });
    }
    return events;
  }

  /** What of an event the caller has not seen; undefined when it has seen all. */
  news(event: StreamResponse): StreamResponse | undefined {
    const { artifactUpdate, statusUpdate } = event;
    if (statusUpdate && this.#behind && this.#isRepeated(statusUpdate)) return undefined;
    if (!artifactUpdate) return event;
    const update = this.#artifacts.news(artifactUpdate);
    if (update === artifactUpdate) return event;
    return update && { artifactUpdate: update };
  }

  #addTask(task: Task, opening: boolean): void {
    this.#name({ taskId: task.id, contextId: task.contextId });
    for (const artifact of task.artifacts ?? []) this.#artifacts.add({ artifact });
    for (const { messageId } of task.history ?? []) this.#messages.add(messageId);
    this.#addMetadata(task.metadata);
    this.#addStatus(task.status);
    const startsTask = this.story.sent !== undefined && this.story.sent.taskId === undefined;
    if (opening && !startsTask) this.#paused = false;
  }

  #name({ taskId, contextId }: { taskId: string; contextId?: string | undefined }): void {
    this.#taskId = taskId;
    this.#contextId = contextId ?? this.#contextId ?? '';
  }

  #addStatus(status: TaskStatus): void {
    this.#status = status;
    this.#ended = isTerminal(status.state);
    if (status.message) this.#messages.add(status.message.messageId);
    this.#paused = status.state === 'TASK_STATE_INPUT_REQUIRED';
  }

  #addMetadata(metadata: JsonObject = {}): void {
    for (const [name, value] of Object.entries(metadata)) this.#metadata.set(name, value);
  }

  #isSeen(status: TaskStatus): boolean {
    const seen = this.#status;
    if (!seen || seen.state !== status.state) return false;
    if (seen.message?.messageId !== status.message?.messageId) return false;
    return !seen.timestamp || !status.timestamp || timeOf(seen) === timeOf(status);
  }

  #isOlder(status: TaskStatus): boolean {
    return this.#status !== undefined && timeOf(status) < timeOf(this.#status);
  }

  #isRepeated({ status }: TaskStatusUpdateEvent): boolean {
    return this.#isOlder(status) || this.#isSeen(status);
  }

  #hasUnseenMessages({ history = [] }: Task): boolean {
    return this.story.wholeHistory && history.some(({ messageId }) => !this.#messages.has(messageId));
  }

  #unseenMetadata({ metadata = {} }: Task): JsonObject | undefined {
    const unseen = Object.entries(metadata).filter(
      ([name, value]) => !isDeepStrictEqual(this.#metadata.get(name), value),
    );
    return unseen.length > 0 ? Object.fromEntries(unseen) : undefined;
  }
}

/** NaN, which is before and after nothing, where the peer does not say. */
function timeOf({ timestamp }: TaskStatus): number {
  return timestamp === undefined ? NaN : Date.parse(timestamp);
}
