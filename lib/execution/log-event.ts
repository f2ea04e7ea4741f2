import {
  LeaseLostError,
  TaskLogClosedError,
  TaskLogNotFoundError,
  type LogEvent,
} from '../interfaces/queue-manager.js';
import { SnapshotConflictError } from '../interfaces/task-store.js';
import type { TaskStatus } from '../protocol/model.js';
import { isTerminal } from '../protocol/task-state.js';

/** A chunk after which more may come. */
export function isOpenChunk(event: LogEvent): boolean {
  return 'artifactUpdate' in event && !event.artifactUpdate?.lastChunk;
}

/** The status that an event sets; undefined when it sets none. */
export function statusOf(event: LogEvent): TaskStatus | undefined {
  return 'error' in event ? undefined : (event.statusUpdate ?? event.task)?.status;
}

/** Whether the log closes after the event. */
export function endsLog(event: LogEvent): boolean {
  if ('error' in event || event.message) return true;
  const status = statusOf(event);
  return status !== undefined && isTerminal(status.state);
}

/** Whether a writer's log or store said that it is not, or no more, the one to write. */
export function isEnd(error: unknown): boolean {
  return (
    error instanceof LeaseLostError ||
    error instanceof TaskLogClosedError ||
    error instanceof TaskLogNotFoundError ||
    error instanceof SnapshotConflictError
  );
}
