import { agentMessage, toParts } from './messages.js';
import type {
  Artifact,
  JsonObject,
  Message,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
} from './model.js';
import { randomId } from './random-id.js';

/** An event as an executor writes it: the library fills in which task it belongs to. */
export type Draft<Event extends { taskId: string; contextId: string }> = Omit<Event, 'taskId' | 'contextId'> &
  Partial<Pick<Event, 'taskId' | 'contextId'>>;

/** A change of the task's status. An interface, so that declarations of applications can name it. */
export interface StatusEvent {
  task?: never;
  message?: never;
  statusUpdate: Draft<TaskStatusUpdateEvent>;
  artifactUpdate?: never;
}

/** An artifact, or more of one. */
export interface ArtifactEvent {
  task?: never;
  message?: never;
  statusUpdate?: never;
  artifactUpdate: Draft<TaskArtifactUpdateEvent>;
}

/** What an executor emits: a StreamResponse whose updates need not name their task. */
export type AgentEvent =
  | { task: Task; message?: never; statusUpdate?: never; artifactUpdate?: never }
  | { task?: never; message: Message; statusUpdate?: never; artifactUpdate?: never }
  | StatusEvent
  | ArtifactEvent;

/** Members of a status update that are rarely given. */
export interface StatusOptions {
  metadata?: JsonObject;
  /** RFC 3339, in UTC; the library's clock unless given. */
  timestamp?: string;
}

/**
 * A change of the task's status.
 * @param message what the agent says about it; a string or parts become a message of the agent.
 * @example yield status('TASK_STATE_WORKING', 'Looking it up');
 */
export function status(
  state: TaskState,
  message?: string | Part[] | Message,
  options: StatusOptions = {},
): StatusEvent {
  const { metadata, timestamp } = options;
  const value: TaskStatus = { state };
  if (message !== undefined) value.message = toMessage(message);
  if (timestamp !== undefined) value.timestamp = timestamp;
  return { statusUpdate: metadata ? { status: value, metadata } : { status: value } };
}

function toMessage(content: string | Part[] | Message): Message {
  return typeof content === 'string' || Array.isArray(content) ? agentMessage(content) : content;
}

/** Members of an artifact and of its update. */
export interface ArtifactOptions extends Partial<Omit<Artifact, 'parts'>> {
  /** Add the parts to the artifact of the same `artifactId` instead of replacing it. */
  append?: boolean;
  /** Nothing will be added any more. True unless `append` or `lastChunk` is given. */
  lastChunk?: boolean;
}

/**
 * An artifact: complete unless `append` or `lastChunk` says otherwise, with a random `artifactId` unless one is given.
 * @example yield artifact('first, ', { artifactId: 'poem', lastChunk: false });
 * yield artifact('second', { artifactId: 'poem', append: true, lastChunk: true });
 */
export function artifact(content: string | Part[], options: ArtifactOptions = {}): ArtifactEvent {
  const { append, lastChunk = append === undefined, artifactId = randomId() } = options;
  const value: Artifact = { artifactId, parts: toParts(content) };
  if (options.name !== undefined) value.name = options.name;
  if (options.description !== undefined) value.description = options.description;
  if (options.metadata) value.metadata = options.metadata;
  if (options.extensions) value.extensions = options.extensions;
  const artifactUpdate: Draft<TaskArtifactUpdateEvent> = { artifact: value };
  if (append) artifactUpdate.append = append;
  if (lastChunk) artifactUpdate.lastChunk = lastChunk;
  return { artifactUpdate };
}
