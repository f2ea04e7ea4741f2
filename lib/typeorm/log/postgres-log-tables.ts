import type { Database, SqlRunner } from '../database/database.js';
import { raw, rowsOf, sql, valueList, type Sql } from '../database/sql.js';
import { digestOf, isKey } from '../database/text.js';
import type { HeadChange } from './head-changes.js';
import { toHeadRow, type HeadRow, type Row } from './head-row.js';
import { LogTables, type NewHead, type NewRecords } from './log-tables.js';

/**
 * The tables in PostgreSQL, where one statement changes a head, adds the records and notifies: a round trip per step. The notification is part
 * of the commit, so that nothing is told which is not there, and nothing is there which was not told.
 */
export class PostgresLogTables extends LogTables {
  /** Where changes are notified. One for all processes with the same tables, also of other applications. */
  readonly channel: string;

  constructor(database: Database) {
    super(database);
    this.channel = `a2a_${digestOf(database.table('log_heads'))}`;
  }

  override async insert(head: NewHead, first?: NewRecords): Promise<boolean> {
    const told = first ? raw('NULL') : this.#notify(sql`''`);
    const [row] = await rowsOf<Row>(
      this.database,
      sql`WITH head AS (${this.insertHead(head, first)} ON CONFLICT (task_id) DO NOTHING RETURNING *)
        ${first ? this.#add(first) : raw('')}
        SELECT head.task_id, ${told} AS told FROM head`,
    );
    return row !== undefined;
  }

  override async change(
    taskId: string,
    change: HeadChange,
    added?: NewRecords,
  ): Promise<HeadRow | undefined> {
    if (!isKey(taskId)) return undefined;
    const told = change.silent ? raw('NULL') : this.#notify(added ? sql`head.sequence` : sql`''`);
    const [row] = await rowsOf<Row>(
      this.database,
      sql`WITH head AS (${this.updateHead(taskId, change, added)} RETURNING *)
        ${added ? this.#add(added) : raw('')}
        SELECT head.*, ${this.clock.now} AS now_at, ${told} AS told FROM head`,
    );
    return row && toHeadRow(row);
  }

  protected override async removing(runner: SqlRunner, taskIds: readonly string[]): Promise<void> {
    await rowsOf<Row>(
      runner,
      sql`SELECT ${this.#notify(sql`''`)} FROM ${this.heads} head WHERE task_id IN (${valueList(taskIds)})`,
    );
  }

  /** The records go in as one parameter, however many they are; as JSON and not JSONB they stay as they are written. */
  #add({ kind, payloads, once }: NewRecords): Sql {
    const { length } = payloads;
    const taken = raw(kind === 'event' ? 'head.taken' : 'NULL::bigint');
    const number = raw(kind === 'message' ? 'head.messages' : 'NULL::bigint');
    const records = sql`, added AS (
      INSERT INTO ${this.records} (task_id, sequence, kind, taken, message_number, payload)
      SELECT head.task_id, head.sequence - ${raw(length)} + item.position, ${kind}, ${taken}, ${number}, item.payload::text
      FROM head, json_array_elements(${`[${payloads.join(',')}]`}::json) WITH ORDINALITY AS item (payload, position))`;
    if (once === undefined) return records;
    return sql`${records}, once AS (
      INSERT INTO ${this.onces} (task_id, message_key, sequence) SELECT head.task_id, ${once}, head.sequence FROM head)`;
  }

  /** The task's id, after the number of its last record, where that says all, and a space. */
  #notify(sequence: Sql): Sql {
    return sql`pg_notify(${this.channel}, ${sequence} || ' ' || head.task_id)`;
  }
}

/** What a notification says. */
export function readNotification(payload: string): { readonly taskId: string; readonly sequence?: number } {
  const space = payload.indexOf(' ');
  const taskId = payload.slice(space + 1);
  return space > 0 ? { taskId, sequence: Number(payload.slice(0, space)) } : { taskId };
}
