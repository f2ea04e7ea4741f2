import type { PrunedTasks, PruneOptions, TaskCursor } from '../interfaces/task-store.js';
import { marks, type Database, type SqlRunner, type SqlValue } from './database/database.js';
import { toSortable } from './database/timestamps.js';
import { cursorOf, newerThan } from './task-places.js';

/** Deletes tasks, and in the same transaction their webhooks: a process that dies in between would leave those for ever. */
export class TaskPruning {
  readonly #tasks: string;
  readonly #configs: string;

  constructor(private readonly database: Database) {
    this.#tasks = database.table('tasks');
    this.#configs = database.table('push_notification_configs');
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.database.transaction((runner) => this.#deleteAll(runner, ids));
  }

  async prune(options: PruneOptions): Promise<PrunedTasks> {
    const places = await this.#prunable(options);
    const candidates = places.map(({ id }) => id);
    const spared = new Set(candidates.length > 0 ? await options.spare?.(candidates) : []);
    const ids = candidates.filter((id) => !spared.has(id));
    if (ids.length > 0) await this.delete(ids);
    const next = places[options.limit - 1];
    return { ids, ...(next && { next }) };
  }

  /** The finished tasks that the options mean, the oldest first. */
  async #prunable({ after, limit, ...which }: PruneOptions): Promise<readonly TaskCursor[]> {
    const [condition, parameters] = await this.#conditionOf(which);
    if (!condition) return [];
    const [later, ...place] = after ? newerThan(after) : ['1 = 1'];
    const rows = await this.database.rows<{ id: string; status_timestamp: string }>(
      `SELECT id, status_timestamp FROM ${this.#tasks} WHERE finished = 1 AND (${condition}) AND (${later})
       ORDER BY status_timestamp, id LIMIT ?`,
      [...parameters, ...place, limit],
    );
    return rows.map(cursorOf);
  }

  /** In one order everywhere, so that processes which prune at once do not lock each other out. */
  async #deleteAll(runner: SqlRunner, ids: readonly string[]): Promise<void> {
    const sorted = [...ids].sort();
    const list = marks(sorted.length);
    await runner.run(`DELETE FROM ${this.#tasks} WHERE id IN (${list})`, sorted);
    await runner.run(`DELETE FROM ${this.#configs} WHERE task_id IN (${list})`, sorted);
  }

  /** Which finished tasks are to go. Undefined when none are. */
  async #conditionOf({
    finishedBefore,
    keepFinished,
  }: Pick<PruneOptions, 'finishedBefore' | 'keepFinished'>): Promise<
    [condition: string | undefined, parameters: SqlValue[]]
  > {
    const conditions: string[] = [];
    const parameters: SqlValue[] = [];
    if (finishedBefore !== undefined) {
      conditions.push('status_timestamp < ?');
      parameters.push(toSortable(finishedBefore));
    }
    const excess = keepFinished === undefined ? undefined : await this.#newestOfExcess(keepFinished);
    if (excess) {
      conditions.push('status_timestamp < ? OR (status_timestamp = ? AND id <= ?)');
      parameters.push(excess.status_timestamp, excess.status_timestamp, excess.id);
    }
    return [conditions.length > 0 ? conditions.join(' OR ') : undefined, parameters];
  }

  /**
   * Of the finished tasks above the count, the one that finished last. A place, not a number of tasks: when several processes prune at once,
   * each would delete that many.
   */
  async #newestOfExcess(keepFinished: number): Promise<{ id: string; status_timestamp: string } | undefined> {
    const [row] = await this.database.rows<{ id: string; status_timestamp: string }>(
      `SELECT id, status_timestamp FROM ${this.#tasks} WHERE finished = 1
       ORDER BY status_timestamp DESC, id DESC LIMIT 1 OFFSET ${Math.trunc(keepFinished)}`,
    );
    return row;
  }
}
