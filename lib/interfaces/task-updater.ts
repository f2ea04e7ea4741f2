import type { JsonObject, Message, Part, TaskState } from '../protocol/model.js';

/** Text, parts, or a whole Message; the library makes a Message of it. */
export type MessageInput = string | readonly Part[] | Message;

export interface ArtifactOptions {
  /** Default: a new id. */
  readonly artifactId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  /** Adds to an artifact that exists. Default false. */
  readonly append?: boolean;
  /** Says that the artifact is complete. Default: true unless `append` is given. */
  readonly lastChunk?: boolean;
}

/**
 * Writes one artifact in chunks and owns its id, `append` and `lastChunk`.
 *
 * @publicApi
 */
export interface ArtifactWriter {
  readonly artifactId: string;
  /** Emits a chunk. Resolves as soon as the run-ahead has room. */
  write(parts: string | readonly Part[]): Promise<void>;
  /** Closes the artifact, with a last chunk if parts are given. Resolves when logged. */
  close(parts?: string | readonly Part[]): Promise<void>;
}

/**
 * Moves a task on. Every method resolves when its event is logged, and rejects with TaskEndedError when the task takes no more.
 *
 * @publicApi
 */
export interface TaskUpdater {
  readonly taskId: string;
  /** Undefined for the updater of a TaskHandle. */
  readonly contextId: string | undefined;
  submit(message?: MessageInput): Promise<void>;
  startWork(message?: MessageInput): Promise<void>;
  updateStatus(state: TaskState, message?: MessageInput, metadata?: JsonObject): Promise<void>;
  addArtifact(parts: string | readonly Part[], options?: ArtifactOptions): Promise<void>;
  /** Starts an artifact that is written in chunks. */
  artifact(options?: Omit<ArtifactOptions, 'append' | 'lastChunk'>): ArtifactWriter;
  requiresInput(message?: MessageInput): Promise<void>;
  /** The message says what to sign in to (§7.6.1 requires one). */
  requiresAuth(message: MessageInput): Promise<void>;
  complete(message?: MessageInput): Promise<void>;
  failed(message?: MessageInput): Promise<void>;
  reject(message?: MessageInput): Promise<void>;
  cancel(message?: MessageInput): Promise<void>;
  /** A Message from the agent with this task's ids. */
  newAgentMessage(parts: string | readonly Part[], metadata?: JsonObject): Message;
  /** Resolves when everything emitted so far is logged; rejects, as emitting does, when some of it was refused. */
  flush(): Promise<void>;
  /** Says that the work goes on after the run returns; a TaskHandle ends the task. */
  detach(): void;
}

/**
 * Updates and ends tasks from outside a run: detached ones above all.
 *
 * @publicApi
 * @example
 * await this.taskHandle.for(taskId).complete('The parcel has arrived');
 */
export abstract class TaskHandle {
  /** Each call of the updater takes the task's lease for itself. Calls reject with TaskNotFoundError or TaskEndedError. */
  abstract for(taskId: string): TaskUpdater;
}
