import type {
  Artifact,
  Message,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
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
  #task: Task | undefined;
  readonly #artifacts = new Map<string, Artifact>();
  #history: Message[] = [];

  constructor(task?: Task, sequence = 0) {
    this.sequence = sequence;
    if (task) this.#open(task);
  }

  /** Whether the task has been published. */
  get published(): boolean {
    return this.#task !== undefined;
  }

  get state(): Task['status']['state'] | undefined {
    return this.#task?.status.state;
  }

  get ended(): boolean {
    return this.#task !== undefined && isTerminal(this.#task.status.state);
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
    if (!this.#task) return;
    this.#archiveStatusMessage();
    this.#history.push(message);
  }

  /** A value that later changes do not touch; throws when the task is not published. */
  snapshot(): Task {
    if (!this.#task) throw new Error('The task is not published yet');
    const task: Task = { ...this.#task };
    if (this.#artifacts.size > 0) {
      task.artifacts = [];
      for (const artifact of this.#artifacts.values()) task.artifacts.push(own(artifact));
    }
    if (this.#history.length > 0) task.history = this.#history.slice();
    return task;
  }

  #open(task: Task): void {
    const { artifacts, history, ...rest } = task;
    this.#task = rest;
    for (const artifact of artifacts ?? []) this.#artifacts.set(artifact.artifactId, own(artifact));
    this.#history = history?.slice() ?? [];
  }

  /** A Task event replaces the status; of history and artifacts it adds what is new, so that nothing is lost. */
  #merge(task: Task): void {
    const known = this.#task;
    if (!known) return this.#open(task);
    const { artifacts, history, metadata, ...rest } = task;
    this.#archiveStatusMessage(task.status.message?.messageId);
    this.#task = { ...known, ...rest };
    if (metadata) this.#task.metadata = { ...known.metadata, ...metadata };
    for (const artifact of artifacts ?? []) this.#artifacts.set(artifact.artifactId, own(artifact));
    const ids = new Set(this.#history.map((message) => message.messageId));
    for (const message of history ?? []) if (!ids.has(message.messageId)) this.#history.push(message);
  }

  #setStatus({ status, metadata }: TaskStatusUpdateEvent): void {
    if (!this.#task) return;
    this.#archiveStatusMessage();
    this.#task = { ...this.#task, status };
    if (metadata) this.#task.metadata = { ...this.#task.metadata, ...metadata };
  }

  #archiveStatusMessage(except?: string): void {
    const task = this.#task!;
    const { message, ...status } = task.status;
    if (!message || message.messageId === except) return;
    this.#history.push(message);
    this.#task = { ...task, status };
  }

  #addArtifact({ artifact, append }: TaskArtifactUpdateEvent): void {
    const known = append ? this.#artifacts.get(artifact.artifactId) : undefined;
    if (!known) {
      this.#artifacts.set(artifact.artifactId, own(artifact));
      return;
    }
    known.parts.push(...artifact.parts);
    if (artifact.name) known.name = artifact.name;
    if (artifact.description) known.description = artifact.description;
    if (artifact.metadata) known.metadata = { ...known.metadata, ...artifact.metadata };
    if (artifact.extensions)
      known.extensions = [...new Set([...(known.extensions ?? []), ...artifact.extensions])];
  }
}

function own(artifact: Artifact): Artifact {
  return { ...artifact, parts: artifact.parts.slice() };
}
