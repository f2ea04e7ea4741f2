import type { Delivery, DeliveryClaim, DeliveryState } from '../interfaces/push-delivery.js';
import type { Database } from './database/database.js';
import { DATABASE_CLOCKS, fromNow, type DatabaseClock } from './database/database-clock.js';
import { anyOf, raw, rowsOf, runOf, sql, valueList, type Sql } from './database/sql.js';
import { isKey } from './database/text.js';
import { elsewhereThan } from './delivery-places.js';
import { DELIVERY_COLUMNS, keyOf, toDelivery, type DeliveryRow } from './push-delivery-row.js';

/** Ids in one statement: all databases have a limit for the parameters of one. */
const CHUNK = 500;

/** How far webhooks were told, in the columns of their table. Those that are free for longest are claimed first. */
export class PushDeliveries {
  readonly #configs: Sql;
  readonly #clock: DatabaseClock;

  constructor(private readonly database: Database) {
    this.#configs = raw(database.table('push_notification_configs'));
    this.#clock = DATABASE_CLOCKS[database.dialect.name];
  }

  async claim(claim: DeliveryClaim): Promise<readonly Delivery[]> {
    const taskIds = claim.taskIds?.filter(isKey);
    if (taskIds?.length === 0) return [];
    const valid = taskIds ? { ...claim, taskIds } : claim;
    return this.database.dialect.name === 'postgres' ? this.#claimAtOnce(valid) : this.#lockAndClaim(valid);
  }

  async renew(holder: string, ttlMs: number): Promise<void> {
    await runOf(
      this.database,
      sql`UPDATE ${this.#configs} SET delivery_free_from = ${fromNow(this.#clock, ttlMs)} WHERE delivery_holder = ${holder}`,
    );
  }

  async release(holder: string): Promise<void> {
    await runOf(
      this.database,
      sql`UPDATE ${this.#configs} SET delivery_free_from = ${this.#clock.now}, delivery_holder = NULL WHERE delivery_holder = ${holder}`,
    );
  }

  async note({ config, holder, token }: Delivery, state: DeliveryState): Promise<boolean> {
    const { cursor = null, pending = null, failures, status } = state;
    const noMore = sql`, delivery_holder = NULL, delivery_free_from = NULL, delivery_place = NULL`;
    const changed = await runOf(
      this.database,
      sql`UPDATE ${this.#configs} SET delivery_cursor = ${cursor}, delivery_pending = ${pending},
          delivery_failures = ${failures}, delivery_status = ${status} ${status === 'open' ? raw('') : noMore}
        WHERE task_id = ${config.taskId} AND config_id = ${keyOf(config.id)}
          AND delivery_holder = ${holder} AND delivery_token = ${token}`,
    );
    return changed > 0;
  }

  async openAmong(taskIds: readonly string[]): Promise<readonly string[]> {
    const open: string[] = [];
    const ids = taskIds.filter(isKey);
    for (let start = 0; start < ids.length; start += CHUNK) {
      const rows = await rowsOf<{ task_id: string }>(
        this.database,
        sql`SELECT DISTINCT task_id FROM ${this.#configs}
          WHERE task_id IN (${valueList(ids.slice(start, start + CHUNK))}) AND delivery_free_from IS NOT NULL`,
      );
      open.push(...rows.map((row) => row.task_id));
    }
    return open;
  }

  /** One statement: whoever has a row locked is passed over. */
  async #claimAtOnce(claim: DeliveryClaim): Promise<readonly Delivery[]> {
    const columns = raw(DELIVERY_COLUMNS.map((name) => `config.${name}`).join(', '));
    const rows = await rowsOf<DeliveryRow>(
      this.database,
      sql`WITH free AS (
          SELECT task_id, config_id, delivery_free_from, position FROM ${this.#configs}
          WHERE ${this.#free(claim)} FOR UPDATE SKIP LOCKED
        ), taken AS (
          UPDATE ${this.#configs} config SET ${this.#hold(claim)} FROM free
          WHERE config.task_id = free.task_id AND config.config_id = free.config_id
          RETURNING ${columns}, free.delivery_free_from, free.position
        ) SELECT * FROM taken ORDER BY delivery_free_from, position`,
    );
    return rows.map((row) => toDelivery(row, claim.holder));
  }

  /** What is free is locked, and whoever has a row locked is passed over; SQLite has one lock for all. */
  async #lockAndClaim(claim: DeliveryClaim): Promise<readonly Delivery[]> {
    // Mostly nothing is free, and then nobody has to be kept from writing.
    const [any] = await rowsOf(
      this.database,
      sql`SELECT 1 FROM ${this.#configs} WHERE ${this.#isFree(claim)} LIMIT 1`,
    );
    if (!any) return [];
    const locking = raw(this.database.dialect.name === 'mysql' ? 'FOR UPDATE SKIP LOCKED' : '');
    return this.database.transaction(async (runner) => {
      const rows = await rowsOf<DeliveryRow>(
        runner,
        sql`SELECT ${raw(DELIVERY_COLUMNS.join(', '))} FROM ${this.#configs} WHERE ${this.#free(claim)} ${locking}`,
      );
      for (let start = 0; start < rows.length; start += CHUNK)
        await runOf(
          runner,
          sql`UPDATE ${this.#configs} SET ${this.#hold(claim)} WHERE ${isOneOf(rows.slice(start, start + CHUNK))}`,
        );
      return rows.map((row) => toDelivery(row, claim.holder, Number(row.delivery_token) + 1));
    });
  }

  #free(claim: DeliveryClaim): Sql {
    return sql`${this.#isFree(claim)} ORDER BY delivery_free_from, position LIMIT ${raw(Math.trunc(claim.limit))}`;
  }

  #isFree({ taskIds, exceptTo }: DeliveryClaim): Sql {
    const ofTasks = taskIds ? sql`AND task_id IN (${valueList(taskIds)})` : raw('');
    const elsewhere = exceptTo?.size
      ? sql`AND ${elsewhereThan(exceptTo, this.database.dialect.name)}`
      : raw('');
    return sql`delivery_free_from <= ${this.#clock.now} ${ofTasks} ${elsewhere}`;
  }

  #hold({ holder, ttlMs }: DeliveryClaim): Sql {
    return sql`delivery_holder = ${holder}, delivery_token = delivery_token + 1,
      delivery_free_from = ${fromNow(this.#clock, ttlMs)}`;
  }
}

/** Not as pairs in a list, which MariaDB would compare with every row of the table. */
function isOneOf(rows: readonly DeliveryRow[]): Sql {
  return anyOf(rows.map(({ task_id, config_id }) => sql`task_id = ${task_id} AND config_id = ${config_id}`));
}
