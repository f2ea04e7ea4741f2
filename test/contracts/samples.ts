import { randomUUID } from 'node:crypto';
import type {
  CancelCommand,
  LogEvent,
  MessageCommand,
  TaskOrigin,
} from '../../lib/interfaces/queue-manager.js';
import type { ServerCallContext } from '../../lib/interfaces/server-call-context.js';
import { userMessage } from '../../lib/protocol/messages.js';
import type { StreamResponse, TaskState } from '../../lib/protocol/model.js';

/** A name that no other test uses, so that suites may share one database. */
export function unique(what: string): string {
  return `${what}-${randomUUID()}`;
}

export function callOf(changes: Partial<ServerCallContext> = {}): ServerCallContext {
  return {
    agent: 'agent',
    operation: 'SendMessage',
    binding: 'JSONRPC',
    user: null,
    tenant: '',
    extensions: [],
    headers: {},
    ...changes,
  };
}

export function originOf(changes: Partial<TaskOrigin> = {}): TaskOrigin {
  return { agent: 'agent', tenant: '', owner: 'owner', contextId: 'context', ...changes };
}

export function messageCommand(text: string, call = callOf()): MessageCommand {
  return { kind: 'message', message: userMessage(text), call };
}

export function cancelCommand(): CancelCommand {
  return { kind: 'cancel', call: callOf({ operation: 'CancelTask' }) };
}

export function taskEvent(id: string, state: TaskState = 'TASK_STATE_SUBMITTED'): StreamResponse {
  return { task: { id, contextId: 'context', status: { state, timestamp: at(0) } } };
}

export function statusEvent(taskId: string, state: TaskState): StreamResponse {
  return { statusUpdate: { taskId, contextId: 'context', status: { state, timestamp: at(1) } } };
}

export function chunkEvent(taskId: string, text: string, more: object = { append: true }): StreamResponse {
  const artifact = { artifactId: 'a', parts: [{ text }] };
  return { artifactUpdate: { taskId, contextId: 'context', artifact, ...more } };
}

/** The text of a chunk that `chunkEvent` made. */
export function textOf(event: LogEvent | undefined): string | undefined {
  return event && 'artifactUpdate' in event ? event.artifactUpdate?.artifact.parts[0]?.text : undefined;
}

/** A time of day as RFC 3339, in seconds after a fixed moment. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
}
