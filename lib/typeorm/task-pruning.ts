import type { PruneOptions } from '../interfaces/task-store.js';
import { marks, type Database, type SqlRunner, type SqlValue } from './database/database.js';
import { toSortable } from './database/timestamps.js';

/** Tasks that one transaction deletes. */
const BATCH = 200;

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

  async prune({ finishedBefore, keepFinished, limit = Infinity }: PruneOptions): Promise<string[]> {
    const [condition, parameters] = await this.#conditionOf({ finishedBefore, keepFinished });
    if (!condition) return [];
    const deleted: string[] = [];
    while (deleted.length < limit) {
      const size = Math.min(BATCH, limit - deleted.length);
      const ids = await this.database.transaction((runner) =>
        this.#pruneBatch(runner, condition, parameters, size),
      );
      deleted.push(...ids);
      if (ids.length < size) break;
    }
    return deleted;
  }

  async #pruneBatch(
    runner: SqlRunner,
    condition: string,
    parameters: readonly SqlValue[],
    size: number,
  ): Promise<string[]> {
    const rows = await runner.rows<{ id: string }>(
      `SELECT id FROM ${this.#tasks} WHERE finished = 1 AND (${condition}) ORDER BY status_timestamp, id LIMIT ?`,
      [...parameters, size],
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await this.#deleteAll(runner, ids);
    return ids;
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
  }: PruneOptions): Promise<[condition: string | undefined, parameters: SqlValue[]]> {
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
