import { Injectable } from '@nestjs/common';
import {
  SnapshotConflictError,
  TaskStore,
  type PrunedTasks,
  type PruneOptions,
  type TaskCursor,
  type TaskPage,
  type TaskQuery,
  type TaskRecord,
  type TaskScope,
} from '../interfaces/task-store.js';
import { Database, type SqlValue } from './database/database.js';
import { isKey } from './database/text.js';
import { toSortable } from './database/timestamps.js';
import { cursorOf, newerThan, olderThan, type Condition } from './task-places.js';
import { TaskPruning } from './task-pruning.js';
import { contextKey, fromRow, JSON_COLUMNS, PLAIN_COLUMNS, scopeKey, type TaskRow } from './task-row.js';
import { TaskSaving } from './task-saving.js';

/**
 * Keeps the snapshots of tasks in the application's database.
 *
 * @publicApi
 */
@Injectable()
export class TypeOrmTaskStore extends TaskStore {
  readonly #tasks: string;
  readonly #columns: string;
  readonly #saving: TaskSaving;
  readonly #pruning: TaskPruning;

  constructor(private readonly database: Database) {
    super();
    this.#tasks = database.table('tasks');
    this.#columns = [...PLAIN_COLUMNS, ...JSON_COLUMNS.map((name) => database.dialect.jsonText(name))].join(
      ', ',
    );
    this.#saving = new TaskSaving(database);
    this.#pruning = new TaskPruning(database);
  }

  override async get(id: string, scope?: TaskScope): Promise<TaskRecord | undefined> {
    if (!isKey(id)) return undefined;
    const rows = await this.#select([
      ['id = ?', id],
      ...(scope ? [['scope_key = ?', scopeKey(scope)] as const] : []),
    ]);
    return rows[0] && fromRow(rows[0]);
  }

  override async save(record: TaskRecord): Promise<void> {
    if (!isKey(record.task.id)) throw new Error('The id of a task must be a text of at most 255 characters');
    if (!(await this.#saving.save(record))) throw new SnapshotConflictError(record.task.id);
  }

  override async list(query: TaskQuery): Promise<TaskPage> {
    const { after, pageSize } = query;
    const filters = filtersOf(query);
    const conditions = after ? [...filters, olderThan(after)] : filters;
    const [totalSize, rows] = await Promise.all([
      this.#count(filters),
      this.#select(conditions, 'ORDER BY status_timestamp DESC, id LIMIT ?', pageSize + 1),
    ]);
    const page = rows.slice(0, pageSize);
    const last = page.at(-1);
    return {
      records: page.map(fromRow),
      totalSize,
      ...(last && rows.length > pageSize && { next: cursorOf(last) }),
    };
  }

  override async delete(id: string): Promise<void> {
    if (isKey(id)) await this.#pruning.delete([id]);
  }

  override prune(options: PruneOptions): Promise<PrunedTasks> {
    return this.#pruning.prune(options);
  }

  override async staleSince(
    timestamp: string,
    limit: number,
    after?: TaskCursor,
  ): Promise<readonly TaskCursor[]> {
    const conditions: readonly Condition[] = [
      ['finished = 0'],
      ['status_timestamp < ?', toSortable(timestamp)],
      ...(after ? [newerThan(after)] : []),
    ];
    const [where, parameters] = allOf(conditions);
    const rows = await this.database.rows<Pick<TaskRow, 'id' | 'status_timestamp'>>(
      `SELECT id, status_timestamp FROM ${this.#tasks} ${where} ORDER BY status_timestamp, id LIMIT ?`,
      [...parameters, limit],
    );
    return rows.map(cursorOf);
  }

  #select(conditions: readonly Condition[], rest = '', ...more: readonly SqlValue[]): Promise<TaskRow[]> {
    const [where, parameters] = allOf(conditions);
    return this.database.rows(`SELECT ${this.#columns} FROM ${this.#tasks} ${where} ${rest}`, [
      ...parameters,
      ...more,
    ]);
  }

  async #count(conditions: readonly Condition[]): Promise<number> {
    const [where, parameters] = allOf(conditions);
    const sql = `SELECT COUNT(*) AS total FROM ${this.#tasks} ${where}`;
    const [row] = await this.database.rows<{ total: unknown }>(sql, parameters);
    return Number(row?.total);
  }
}

function filtersOf(query: TaskQuery): Condition[] {
  const { contextId, status, statusTimestampAfter } = query;
  return [
    contextId === undefined
      ? ['scope_key = ?', scopeKey(query)]
      : ['context_key = ?', contextKey(query, contextId)],
    ...(status === undefined ? [] : [['status_state = ?', status] as const]),
    ...(statusTimestampAfter === undefined
      ? []
      : [['status_timestamp >= ?', toSortable(statusTimestampAfter)] as const]),
  ];
}

function allOf(conditions: readonly Condition[]): [where: string, parameters: SqlValue[]] {
  const where = conditions.map(([sql]) => `(${sql})`).join(' AND ');
  return [`WHERE ${where}`, conditions.flatMap(([, ...parameters]) => parameters)];
}
