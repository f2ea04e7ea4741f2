import type {
  Artifact,
  JsonObject,
  Message,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
} from './model.js';
import { isTerminal } from './task-state.js';

/**
 * A task as the fold of its log. Applying an event costs what the event weighs, not what the task weighs;
 * `snapshot()` costs the length of the lists. Values that were applied are shared, never changed.
 */
export class TaskProjection {
  /** Number of the last record of the log that was applied; kept by whoever applies. */
  sequence: number;
  #id = '';
  #contextId: string | undefined;
  /** Undefined until the task is published. */
  #status: TaskStatus | undefined;
  #metadata: JsonObject | undefined;
  readonly #artifacts = new Map<string, Artifact>();
  /** Those that are copies of this projection's own, since the last snapshot: only to these parts are added. */
  #growing: Set<Artifact> | undefined;
  #history: Message[] = [];

  constructor(task?: Task, sequence = 0) {
    this.sequence = sequence;
    if (task) this.#merge(task);
  }

  /** Whether the task has been published. */
  get published(): boolean {
    return this.#status !== undefined;
  }

  get state(): TaskState | undefined {
    return this.#status?.state;
  }

  get ended(): boolean {
    return this.#status !== undefined && isTerminal(this.#status.state);
  }

  get artifactIds(): Iterable<string> {
    return this.#artifacts.keys();
  }

  apply(event: StreamResponse): void {
    if (event.task) this.#merge(event.task);
    else if (event.statusUpdate) this.#setStatus(event.statusUpdate);
    else if (event.artifactUpdate) this.#addArtifact(event.artifactUpdate);
  }

  /** A message of the user joins the history; what the agent said last goes before it. */
  addMessage(message: Message): void {
    if (!this.#status) return;
    if (this.#status.message) {
      this.#history.push(this.#status.message);
      const { message: _, ...status } = this.#status;
      this.#status = status;
    }
    this.#history.push(message);
  }

  /** A value that later changes do not touch; throws when the task is not published. */
  snapshot(): Task {
    if (!this.#status) throw new Error('The task is not published yet');
    const task: Task = { id: this.#id, status: this.#status };
    if (this.#contextId !== undefined) task.contextId = this.#contextId;
    if (this.#artifacts.size > 0) task.artifacts = [...this.#artifacts.values()];
    this.#growing = undefined;
    if (this.#history.length > 0) task.history = this.#history.slice();
    if (this.#metadata) task.metadata = this.#metadata;
    return task;
  }

  /** A Task event replaces the status; of history and artifacts it adds what is new, so that nothing is lost. */
  #merge({ id, contextId, status, metadata, artifacts, history }: Task): void {
    const said = this.#status?.message;
    if (said && said.messageId !== status.message?.messageId) this.#history.push(said);
    this.#id = id;
    if (contextId !== undefined) this.#contextId = contextId;
    this.#status = status;
    if (metadata) this.#metadata = { ...this.#metadata, ...metadata };
    if (artifacts) for (const artifact of artifacts) this.#artifacts.set(artifact.artifactId, artifact);
    if (history) this.#addHistory(history);
  }

  #addHistory(history: readonly Message[]): void {
    if (this.#history.length === 0) {
      this.#history = history.slice();
      return;
    }
    const ids = new Set(this.#history.map((message) => message.messageId));
    for (const message of history) if (!ids.has(message.messageId)) this.#history.push(message);
  }

  #setStatus({ status, metadata }: TaskStatusUpdateEvent): void {
    if (!this.#status) return;
    if (this.#status.message) this.#history.push(this.#status.message);
    this.#status = status;
    if (metadata) this.#metadata = { ...this.#metadata, ...metadata };
  }

  #addArtifact({ artifact, append }: TaskArtifactUpdateEvent): void {
    const begun = append ? this.#artifacts.get(artifact.artifactId) : undefined;
    if (!begun) {
      this.#artifacts.set(artifact.artifactId, artifact);
      return;
    }
    const known = this.#grow(begun);
    for (const part of artifact.parts) known.parts.push(part);
    if (artifact.name) known.name = artifact.name;
    if (artifact.description) known.description = artifact.description;
    if (artifact.metadata) known.metadata = { ...known.metadata, ...artifact.metadata };
    if (artifact.extensions)
      known.extensions = [...new Set([...(known.extensions ?? []), ...artifact.extensions])];
  }

  /** The artifact, or a copy where somebody else may have it. */
  #grow(artifact: Artifact): Artifact {
    if (this.#growing?.has(artifact)) return artifact;
    const own = { ...artifact, parts: artifact.parts.slice() };
    this.#artifacts.set(artifact.artifactId, own);
    (this.#growing ??= new Set()).add(own);
    return own;
  }
}
