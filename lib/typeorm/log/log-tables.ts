import type { AbandonedQuery, LogRecord, SendClaim, TaskOrigin } from '../../interfaces/queue-manager.js';
import type { Database, SqlRunner } from '../database/database.js';
import { DATABASE_CLOCKS, fromNow, type DatabaseClock } from '../database/database-clock.js';
import { list, raw, rowsOf, runOf, sql, valueList, type Sql } from '../database/sql.js';
import { isKey, toText } from '../database/text.js';
import type { HeadChange } from './head-changes.js';
import { toHeadRow, toRecord, type HeadRow, type Row } from './head-row.js';
import type { LogMark } from './log-watchers.js';

/** Rows or ids in one statement: all databases have a limit for the parameters of one. */
const CHUNK = 500;

/** A new log, before its first command. */
export interface NewHead {
  readonly taskId: string;
  readonly origin: TaskOrigin;
  readonly sequence: number;
  readonly token: number;
  readonly lease?: { readonly holder: string; readonly ttlMs: number };
}

/** Records of one kind, to be added to a log. */
export interface NewRecords {
  readonly kind: 'event' | 'message' | 'cancel';
  readonly payloads: readonly string[];
  /** Digest of the messageId, where the message may be in the log once only. */
  readonly once?: string;
}

/** A closed log and the end of it, by the clock of the database. */
export interface ClosedLog {
  readonly taskId: string;
  readonly closedAt: number;
}

/** The tables of the logs. Each method is one atomic step. */
export class LogTables {
  readonly clock: DatabaseClock;
  readonly heads: Sql;
  readonly records: Sql;
  protected readonly onces: Sql;
  readonly #claims: Sql;

  constructor(protected readonly database: Database) {
    this.clock = DATABASE_CLOCKS[database.dialect.name];
    this.heads = raw(database.table('log_heads'));
    this.records = raw(database.table('log_records'));
    this.onces = raw(database.table('log_onces'));
    this.#claims = raw(database.table('log_claims'));
  }

  /** Makes a log with its first record, if it has one. False when there is one of that id. */
  async insert(head: NewHead, first?: NewRecords): Promise<boolean> {
    try {
      await this.database.transaction(async (runner) => {
        const { text, values } = this.insertHead(head, first);
        await runner.run(text, values);
        if (first) await this.#insertRecords(runner, head.taskId, head.sequence + 1, 0, 1, first);
      });
      return true;
    } catch (error) {
      if (this.database.isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /**
   * Changes the head where the condition holds, and adds records after its last. Answers the head after it; undefined, and nothing
   * changes, where the condition does not hold or there is no log. Throws a unique violation for a message that is there already.
   */
  async change(taskId: string, change: HeadChange, added?: NewRecords): Promise<HeadRow | undefined> {
    if (!isKey(taskId)) return undefined;
    return this.database.transaction(async (runner) => {
      const { text, values } = this.updateHead(taskId, change, added);
      // The update locks the row: what follows is for this log alone.
      if ((await runner.run(text, values)) === 0) return undefined;
      const row = await this.#head(runner, taskId);
      if (!row) return undefined;
      const { head, messages } = row;
      if (added) {
        const first = head.sequence - added.payloads.length + 1;
        await this.#insertRecords(runner, taskId, first, head.taken, messages, added);
      }
      return row;
    });
  }

  /** Removes the logs that a condition holds for, at most `limit`, and answers their ids. */
  async remove(where: Sql, limit: number): Promise<readonly string[]> {
    return this.database.transaction(async (runner) => {
      const locking = raw(this.database.dialect.name === 'sqlite' ? '' : 'FOR UPDATE');
      const found = await rowsOf<Row>(
        runner,
        sql`SELECT task_id FROM ${this.heads} WHERE ${where} LIMIT ${raw(limit)} ${locking}`,
      );
      const ids = found.map((row) => String(row['task_id']));
      if (ids.length === 0) return ids;
      await this.removing(runner, ids);
      for (const table of [this.records, this.onces, this.heads]) {
        const { text, values } = sql`DELETE FROM ${table} WHERE task_id IN (${valueList(ids)})`;
        await runner.run(text, values);
      }
      return ids;
    });
  }

  async head(taskId: string): Promise<HeadRow | undefined> {
    return isKey(taskId) ? this.#head(this.database, taskId) : undefined;
  }

  async read(taskId: string, after: number, limit: number): Promise<readonly LogRecord[]> {
    if (!isKey(taskId)) return [];
    const rows = await rowsOf<Row>(
      this.database,
      sql`SELECT sequence, kind, taken, payload FROM ${this.records}
        WHERE task_id = ${taskId} AND sequence > ${after} ORDER BY sequence LIMIT ${raw(Math.trunc(limit))}`,
    );
    return rows.map(toRecord);
  }

  /** Number of the message with this digest of its id, where it may be in the log once only. */
  async onceAt(taskId: string, once: string): Promise<number | undefined> {
    if (!isKey(taskId)) return undefined;
    const [row] = await rowsOf<Row>(
      this.database,
      sql`SELECT sequence FROM ${this.onces} WHERE task_id = ${taskId} AND message_key = ${once}`,
    );
    return row && Number(row['sequence']);
  }

  /** What tells whether logs have changed, of those that exist. */
  async marks(taskIds: readonly string[]): Promise<ReadonlyMap<string, LogMark>> {
    const marks = new Map<string, LogMark>();
    const ids = taskIds.filter(isKey);
    for (let start = 0; start < ids.length; start += CHUNK) {
      const rows = await rowsOf<Row>(
        this.database,
        sql`SELECT task_id, sequence, token, run_state, closed_at, holder FROM ${this.heads}
          WHERE task_id IN (${valueList(ids.slice(start, start + CHUNK))})`,
      );
      for (const row of rows) {
        const state = [row['token'], row['run_state'], row['closed_at'], row['holder']].join(' ');
        marks.set(String(row['task_id']), { sequence: Number(row['sequence']), state });
      }
    }
    return marks;
  }

  /** Times are told as ages, as the clock of this process may be another than the database's. */
  async abandoned({ queuedBefore, limit }: AbandonedQuery): Promise<readonly string[]> {
    const expired = sql`lease_expires_at <= ${this.clock.now}`;
    const waiting = sql`waiting_since < ${fromNow(this.clock, queuedBefore - Date.now())}`;
    const ids: string[] = [];
    for (const where of [expired, waiting]) {
      if (ids.length >= limit) break;
      const query = sql`SELECT task_id FROM ${this.heads} WHERE ${where} LIMIT ${raw(Math.trunc(limit - ids.length))}`;
      for (const row of await rowsOf<Row>(this.database, query)) ids.push(String(row['task_id']));
    }
    return ids;
  }

  /** Closed logs that a condition holds for, the oldest first, after a place when it is given. */
  async closed(where: Sql, limit: number, after?: ClosedLog): Promise<readonly ClosedLog[]> {
    const { taskId = '', closedAt = 0 } = after ?? {};
    const rows = await rowsOf<Row>(
      this.database,
      sql`SELECT task_id, closed_at FROM ${this.heads}
        WHERE ${where} AND closed_at >= ${closedAt} AND (closed_at > ${closedAt} OR task_id > ${taskId})
        ORDER BY closed_at, task_id LIMIT ${raw(limit)}`,
    );
    return rows.map((row) => ({ taskId: String(row['task_id']), closedAt: Number(row['closed_at']) }));
  }

  /** When the newest log above a number of closed ones was closed, by the clock of the database; undefined when there are no more. */
  async closedAbove(count: number): Promise<number | undefined> {
    const [row] = await rowsOf<Row>(
      this.database,
      sql`SELECT closed_at FROM ${this.heads} WHERE closed_at IS NOT NULL AND holder IS NULL
        ORDER BY closed_at DESC LIMIT 1 OFFSET ${raw(Math.trunc(count))}`,
    );
    return row && Number(row['closed_at']);
  }

  /** Where a claim stands that has not passed, that one is left and answered. */
  async claim(key: string, { taskId, digest }: SendClaim, windowMs: number): Promise<SendClaim> {
    const { now } = this.clock;
    const until = fromNow(this.clock, windowMs);
    for (;;) {
      const [row] = await rowsOf<Row>(
        this.database,
        sql`SELECT task_id, digest, expires_at, ${now} AS now_at FROM ${this.#claims} WHERE claim_key = ${key}`,
      );
      if (row && Number(row['expires_at']) > Number(row['now_at']))
        return { taskId: String(row['task_id']), digest: String(row['digest']) };
      if (row)
        await runOf(
          this.database,
          sql`DELETE FROM ${this.#claims} WHERE claim_key = ${key} AND expires_at <= ${now}`,
        );
      try {
        await runOf(
          this.database,
          sql`INSERT INTO ${this.#claims} (claim_key, task_id, digest, expires_at)
            VALUES (${key}, ${taskId}, ${digest}, ${until})`,
        );
        return { taskId, digest };
      } catch (error) {
        // Another was faster: the next round finds its claim.
        if (!this.database.isUniqueViolation(error)) throw error;
      }
    }
  }

  async forgetClaims(): Promise<void> {
    await runOf(this.database, sql`DELETE FROM ${this.#claims} WHERE expires_at <= ${this.clock.now}`);
  }

  protected insertHead({ taskId, origin, sequence, token, lease }: NewHead, first?: NewRecords): Sql {
    const count = first ? 1 : 0;
    const { now } = this.clock;
    const state = lease ? 'running' : 'queued';
    const { skill } = origin;
    return sql`INSERT INTO ${this.heads} (task_id, agent, tenant, owner, context_id, skill,
        sequence, first_sequence, token, holder, lease_expires_at, run_state, found_state,
        taken, attempt, taken_by, messages, messages_taken, last_event, last_command, command_at, waiting_since)
      VALUES (${taskId}, ${toText(origin.agent)}, ${toText(origin.tenant)}, ${toText(origin.owner)},
        ${toText(origin.contextId)}, ${skill === undefined ? null : toText(skill)},
        ${sequence + count}, ${sequence + 1}, ${token}, ${lease?.holder ?? null},
        ${lease ? fromNow(this.clock, lease.ttlMs) : null}, ${state}, 'queued',
        ${sequence}, 0, 0, ${count}, 0, ${sequence}, ${count && sequence + 1}, ${first ? now : 0}, ${lease ? null : now})`;
  }

  protected updateHead(taskId: string, { set, where }: HeadChange, added?: NewRecords): Sql {
    const last = added ? [sql`sequence = sequence + ${raw(added.payloads.length)}`] : [];
    return sql`UPDATE ${this.heads} SET ${list([...set, ...last])} WHERE task_id = ${taskId} AND (${where})`;
  }

  /** What else is done in the transaction that removes logs. */
  protected async removing(_runner: SqlRunner, _taskIds: readonly string[]): Promise<void> {}

  async #head(runner: SqlRunner, taskId: string): Promise<HeadRow | undefined> {
    const [row] = await rowsOf<Row>(
      runner,
      sql`SELECT heads.*, ${this.clock.now} AS now_at FROM ${this.heads} heads WHERE task_id = ${taskId}`,
    );
    return row && toHeadRow(row);
  }

  async #insertRecords(
    runner: SqlRunner,
    taskId: string,
    first: number,
    taken: number,
    messages: number,
    { kind, payloads, once }: NewRecords,
  ): Promise<void> {
    for (let start = 0; start < payloads.length; start += CHUNK) {
      const rows = payloads.slice(start, start + CHUNK).map((payload, i) => {
        const marks = sql`${kind === 'event' ? taken : null}, ${kind === 'message' ? messages : null}`;
        return sql`(${taskId}, ${first + start + i}, ${kind}, ${marks}, ${payload})`;
      });
      await runOf(
        runner,
        sql`INSERT INTO ${this.records} (task_id, sequence, kind, taken, message_number, payload) VALUES ${list(rows)}`,
      );
    }
    if (once === undefined) return;
    const row = sql`${taskId}, ${once}, ${first}`;
    await runOf(runner, sql`INSERT INTO ${this.onces} (task_id, message_key, sequence) VALUES (${row})`);
  }
}
