import { Injectable } from '@nestjs/common';
import { isTerminal } from '../protocol/task-state.js';
import {
  SnapshotConflictError,
  TaskStore,
  inScope,
  type PrunedTasks,
  type PruneOptions,
  type TaskCursor,
  type TaskPage,
  type TaskQuery,
  type TaskRecord,
  type TaskScope,
} from '../interfaces/task-store.js';

/** Keeps snapshots in the memory of this process: for one process, and gone when it ends. */
@Injectable()
export class MemoryTaskStore extends TaskStore {
  readonly #live = new Map<string, TaskRecord>();
  /** In the order in which they finished. */
  readonly #finished = new Map<string, TaskRecord>();

  override get volatile(): boolean {
    return true;
  }

  /** Tasks that are kept. */
  get size(): number {
    return this.#live.size + this.#finished.size;
  }

  override async get(id: string, scope?: TaskScope): Promise<TaskRecord | undefined> {
    const record = this.#find(id);
    return record && (!scope || inScope(record, scope)) ? record : undefined;
  }

  override async save(record: TaskRecord): Promise<void> {
    const { id, status } = record.task;
    const stored = this.#find(id);
    if (stored && !isNewer(record, stored)) {
      if (stored.fence === record.fence && stored.sequence === record.sequence) return;
      throw new SnapshotConflictError(id);
    }
    const [home, other] = isTerminal(status.state)
      ? [this.#finished, this.#live]
      : [this.#live, this.#finished];
    other.delete(id);
    home.set(id, record);
  }

  override async list(query: TaskQuery): Promise<TaskPage> {
    const matches = [...this.#live.values(), ...this.#finished.values()]
      .filter((record) => inScope(record, query) && fits(record, query))
      .sort((a, b) => compare(cursorOf(a), cursorOf(b)));
    const { after, pageSize } = query;
    const rest = after ? matches.filter((record) => compare(cursorOf(record), after) > 0) : matches;
    const records = rest.slice(0, pageSize);
    const last = records.at(-1);
    return {
      records,
      totalSize: matches.length,
      ...(last && rest.length > pageSize && { next: cursorOf(last) }),
    };
  }

  override async delete(id: string): Promise<void> {
    this.#drop(id);
  }

  override async prune(options: PruneOptions): Promise<PrunedTasks> {
    const { limit, after, spare } = options;
    const candidates = this.#prunable(options);
    const page = candidates.slice(0, limit);
    const places = page.map((id) => cursorOf(this.#finished.get(id)!));
    const spared = new Set(page.length > 0 ? await spare?.(page) : []);
    const ids = page.filter((id) => !spared.has(id) && this.#finished.has(id));
    for (const id of ids) this.#drop(id);
    // A place is found again by a task that is there.
    const next = places.findLast(({ id }) => spared.has(id)) ?? after ?? places.at(-1);
    return { ids, ...(next && candidates.length > limit && { next }) };
  }

  override async staleSince(
    timestamp: string,
    limit: number,
    after?: TaskCursor,
  ): Promise<readonly TaskCursor[]> {
    return [...this.#live.values()]
      .filter((record) => timestampOf(record) < timestamp)
      .map(cursorOf)
      .filter((cursor) => !after || compareOldest(cursor, after) > 0)
      .sort(compareOldest)
      .slice(0, limit);
  }

  /** The finished tasks that the options mean, up to one more than the limit. */
  #prunable({ finishedBefore, keepFinished, limit, after }: PruneOptions): readonly string[] {
    const excess = keepFinished === undefined ? 0 : this.#finished.size - keepFinished;
    const ids: string[] = [];
    let place = 0;
    let passed = !after || !this.#finished.has(after.id);
    for (const [id, record] of this.#finished) {
      place += 1;
      if (ids.length > limit || (finishedBefore === undefined && place > excess)) break;
      // Executors may set times of their own, so a later one says nothing of those that follow.
      const expired = finishedBefore !== undefined && timestampOf(record) < finishedBefore;
      if (passed && (expired || place <= excess)) ids.push(id);
      passed ||= id === after?.id;
    }
    return ids;
  }

  #find(id: string): TaskRecord | undefined {
    return this.#live.get(id) ?? this.#finished.get(id);
  }

  #drop(id: string): void {
    this.#live.delete(id);
    this.#finished.delete(id);
  }
}

function isNewer(a: TaskRecord, b: TaskRecord): boolean {
  return a.fence > b.fence || (a.fence === b.fence && a.sequence > b.sequence);
}

function fits({ task }: TaskRecord, { contextId, status, statusTimestampAfter }: TaskQuery): boolean {
  return (
    (contextId === undefined || task.contextId === contextId) &&
    (status === undefined || task.status.state === status) &&
    (statusTimestampAfter === undefined ||
      Date.parse(task.status.timestamp ?? '') >= Date.parse(statusTimestampAfter))
  );
}

function timestampOf(record: TaskRecord): string {
  return record.task.status.timestamp ?? '';
}

function cursorOf(record: TaskRecord): TaskCursor {
  return { timestamp: timestampOf(record), id: record.task.id };
}

/** Newest status first, then by id. */
function compare(a: TaskCursor, b: TaskCursor): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Oldest status first, then by id. */
function compareOldest(a: TaskCursor, b: TaskCursor): number {
  return a.timestamp === b.timestamp ? compare(a, b) : compare(b, a);
}
