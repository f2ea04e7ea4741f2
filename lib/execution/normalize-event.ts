import type { AgentEvent } from '../protocol/events.js';
import { InvalidAgentResponseError } from '../protocol/errors.js';
import { TASK_STATES } from '../protocol/task-state.js';
import { timestampNow } from '../protocol/timestamp.js';
import type {
  Message,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatus,
  TaskStatusUpdateEvent,
} from '../protocol/model.js';
import type { Emission } from '../interfaces/event-queue.js';

/** The task that an event belongs to. */
export interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

/**
 * What an executor emitted, as it goes on the wire: wrapped, with ids and timestamp. What the executor adds to its own lists afterwards
 * does not change it.
 * Throws InvalidAgentResponseError for an event of another task, a status that the protocol does not know, and what has no parts.
 */
export function normalizeEvent(emission: Emission, { taskId, contextId }: TaskIds): StreamResponse {
  const ids = { taskId, contextId };
  const event = wrap(emission);
  if (event.task) return { task: completeTask(event.task, ids) };
  if (event.message) {
    checkMessage(event.message);
    return { message: { contextId: ids.contextId, ...event.message } };
  }
  if (event.statusUpdate) {
    sameTask(event.statusUpdate, ids);
    const { status, metadata } = event.statusUpdate;
    const statusUpdate: TaskStatusUpdateEvent = { taskId, contextId, status: completeStatus(status, ids) };
    if (metadata) statusUpdate.metadata = metadata;
    return { statusUpdate };
  }
  if (event.artifactUpdate) {
    sameTask(event.artifactUpdate, ids);
    const { artifact, append, lastChunk, metadata } = event.artifactUpdate;
    if (!Array.isArray(artifact?.parts)) throw invalid('emitted an artifact without a list of parts');
    const owned = { ...artifact, parts: artifact.parts.slice() };
    const artifactUpdate: TaskArtifactUpdateEvent = { taskId, contextId, artifact: owned };
    if (append) artifactUpdate.append = append;
    if (lastChunk) artifactUpdate.lastChunk = lastChunk;
    if (metadata) artifactUpdate.metadata = metadata;
    return { artifactUpdate };
  }
  throw invalid(
    'emitted something that is neither a Task, a Message, a status update nor an artifact update',
  );
}

/** Ids and role of a message that is part of the task. */
export function taskMessage(message: Message, { taskId, contextId }: TaskIds): Message {
  return { ...message, parts: message.parts.slice(), taskId, contextId };
}

function wrap(emission: Emission): Partial<AgentEvent> {
  if (typeof emission !== 'object' || emission === null) return {};
  if ('messageId' in emission) return { message: emission };
  if ('artifact' in emission) return { artifactUpdate: emission };
  if ('status' in emission) return 'id' in emission ? { task: emission } : { statusUpdate: emission };
  return emission;
}

function completeTask(task: Task, ids: TaskIds): Task {
  if (task.id && task.id !== ids.taskId)
    throw invalid(`emitted task ${task.id} while it works on ${ids.taskId}`);
  // Executors in the manner of the Python SDK keep their Task and change it between two events.
  const owned = structuredClone(task);
  return { ...owned, id: ids.taskId, contextId: ids.contextId, status: completeStatus(task.status, ids) };
}

function completeStatus(status: TaskStatus, ids: TaskIds): TaskStatus {
  if (!TASK_STATES.includes(status?.state))
    throw invalid(`emitted the unknown state ${String(status?.state)}`);
  if (status.state === 'TASK_STATE_AUTH_REQUIRED' && !status.message) {
    throw invalid('set TASK_STATE_AUTH_REQUIRED without a message that says what to sign in to (§7.6.1)');
  }
  if (status.message) checkMessage(status.message);
  const { state, message } = status;
  const timestamp = status.timestamp === undefined ? timestampNow() : toUtc(status.timestamp);
  return message ? { state, message: taskMessage(message, ids), timestamp } : { state, timestamp };
}

function toUtc(timestamp: string): string {
  const at = new Date(timestamp);
  if (Number.isNaN(at.getTime())) throw invalid(`set the timestamp ${timestamp}, which is no time`);
  return at.toISOString();
}

function checkMessage({ parts }: Message): void {
  if (!Array.isArray(parts)) throw invalid('emitted a Message without a list of parts');
}

function sameTask({ taskId }: { taskId?: string }, ids: TaskIds): void {
  if (taskId && taskId !== ids.taskId)
    throw invalid(`emitted an event of task ${taskId} while it works on ${ids.taskId}`);
}

function invalid(what: string): InvalidAgentResponseError {
  return new InvalidAgentResponseError(`The agent ${what}`);
}
