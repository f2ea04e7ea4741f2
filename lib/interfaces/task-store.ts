import type { Task, TaskState } from '../protocol/model.js';
import type { Spare } from './spare.js';

/** The three marks that decide who may see a task. */
export interface TaskScope {
  readonly agent: string;
  readonly tenant: string;
  readonly owner: string;
}

/** Whether something belongs to a scope. */
export function inScope(item: TaskScope, scope: TaskScope): boolean {
  return item.owner === scope.owner && item.agent === scope.agent && item.tenant === scope.tenant;
}

/** A snapshot of a task: the fold of its log up to and including `sequence`. */
export interface TaskRecord extends TaskScope {
  readonly task: Task;
  /** Number of the last log record that the snapshot contains. */
  readonly sequence: number;
  /** Fencing token of the writer that saved it. */
  readonly fence: number;
}

/** The place of a task in an order, after which a page starts: by status time, newest first in a list, and by id. */
export interface TaskCursor {
  readonly timestamp: string;
  readonly id: string;
}

export interface TaskQuery extends TaskScope {
  readonly contextId?: string;
  readonly status?: TaskState;
  /** RFC 3339; only tasks whose status changed at or after it. */
  readonly statusTimestampAfter?: string;
  /** 1 to 100. */
  readonly pageSize: number;
  readonly after?: TaskCursor;
}

export interface TaskPage {
  readonly records: readonly TaskRecord[];
  /** Tasks that match the filters, over all pages. */
  readonly totalSize: number;
  /** Absent on the last page. */
  readonly next?: TaskCursor;
}

/** Which finished tasks to delete: those that ended before a time, and the oldest above a count; what is spared counts as well. */
export interface PruneOptions {
  /** RFC 3339. */
  readonly finishedBefore?: string;
  readonly keepFinished?: number;
  /** Most to look at in this call. */
  readonly limit: number;
  /** Where an earlier call left off. */
  readonly after?: TaskCursor;
  /** Asked once for all that this call would delete. */
  readonly spare?: Spare;
}

export interface PrunedTasks {
  /** What was deleted, the oldest first. */
  readonly ids: readonly string[];
  /** Where to go on; absent when no more are to be deleted. */
  readonly next?: TaskCursor;
}

/**
 * Keeps the snapshots of tasks. A snapshot is a projection of the task's log (QueueManager), never ahead of it.
 * Records are values: a store neither changes what it was given nor hands out what it will change.
 *
 * @publicApi
 */
export abstract class TaskStore {
  /** Whether tasks are kept in memory, so that finished ones have to be forgotten unless the options say otherwise. */
  get volatile(): boolean {
    return false;
  }

  /** Undefined for an unknown id and, when a scope is given, for a task outside of it. */
  abstract get(id: string, scope?: TaskScope): Promise<TaskRecord | undefined>;

  /**
   * Saves when nothing newer is stored: `fence` is higher than the stored one, or equal with a higher `sequence`.
   * Saving the same fence and sequence again changes nothing. Throws SnapshotConflictError otherwise.
   */
  abstract save(record: TaskRecord): Promise<void>;

  abstract list(query: TaskQuery): Promise<TaskPage>;

  abstract delete(id: string): Promise<void>;

  /** Deletes some finished tasks, the oldest first; live tasks never. Called again with `after` until there is no more. */
  abstract prune(options: PruneOptions): Promise<PrunedTasks>;

  /**
   * Live tasks whose status is older than the given RFC 3339 time, oldest first and then by id, at most `limit`, those that come after a place
   * when it is given.
   */
  abstract staleSince(timestamp: string, limit: number, after?: TaskCursor): Promise<readonly TaskCursor[]>;
}

/** A snapshot was not saved because a newer one is stored: its writer lost the lease. */
export class SnapshotConflictError extends Error {
  override readonly name = 'SnapshotConflictError';

  constructor(readonly taskId: string) {
    super(`A newer snapshot of task ${taskId} is stored`);
  }
}
