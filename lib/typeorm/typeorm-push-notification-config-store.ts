import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  placeOf,
  type Delivery,
  type DeliveryClaim,
  type DeliveryState,
  type StoredPushNotificationConfig,
} from '../interfaces/push-delivery.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { Database, marks } from './database/database.js';
import { DATABASE_CLOCKS } from './database/database-clock.js';
import { isKey } from './database/text.js';
import { keyOf, toConfig, type ConfigRow } from './push-delivery-row.js';
import { PushDeliveries } from './push-deliveries.js';

/** What the token of a new delivery is below: no two have the same, also where a config is deleted and made anew. */
const TOKENS = 2 ** 47;

/**
 * Keeps the webhooks of tasks, and what they have yet to be told, in the application's database.
 *
 * @publicApi
 */
@Injectable()
export class TypeOrmPushNotificationConfigStore extends PushNotificationConfigStore {
  readonly #configs: string;
  readonly #tasks: string;
  readonly #deliveries: PushDeliveries;

  constructor(private readonly database: Database) {
    super();
    this.#configs = database.table('push_notification_configs');
    this.#tasks = database.table('tasks');
    this.#deliveries = new PushDeliveries(database);
  }

  override async set(config: StoredPushNotificationConfig, after?: number): Promise<void> {
    const { taskId, id } = config;
    if (!isKey(taskId)) throw new Error('The id of a task must be a text of at most 255 characters');
    const { name } = this.database.dialect;
    const now = DATABASE_CLOCKS[name].now.text;
    const [stored, onConflict] =
      name === 'mysql'
        ? ['', 'ON DUPLICATE KEY UPDATE']
        : ['stored.', 'ON CONFLICT (task_id, config_id) DO UPDATE SET'];
    const given = (column: string) => (name === 'mysql' ? `VALUES(${column})` : `excluded.${column}`);
    // The Python SDK looks for webhooks by the owner of their task. One that is replaced keeps its place.
    await this.database.run(
      `INSERT INTO ${this.#configs} ${name === 'mysql' ? '' : 'AS stored'}
         (task_id, config_id, config_data, protocol_version, delivery_cursor, delivery_token, delivery_free_from, delivery_place, owner, position)
       VALUES (?, ?, ?, '1.0', ?, ?, ${now}, ?,
         (SELECT owner FROM ${this.#tasks} WHERE id = ?),
         (SELECT next FROM (SELECT COALESCE(MAX(position), 0) + 1 AS next FROM ${this.#configs} WHERE task_id = ?) AS places))
       ${onConflict} config_data = ${given('config_data')},
         delivery_place = CASE ${stored}delivery_status WHEN 'done' THEN NULL ELSE ${given('delivery_place')} END,
         delivery_free_from = CASE ${stored}delivery_status WHEN 'done' THEN NULL ELSE ${now} END,
         delivery_status = CASE ${stored}delivery_status WHEN 'done' THEN 'done' ELSE 'open' END,
         delivery_failures = 0, delivery_holder = NULL, delivery_token = ${stored}delivery_token + 1`,
      [
        taskId,
        keyOf(id),
        Buffer.from(JSON.stringify(config)),
        after ?? null,
        randomInt(TOKENS),
        keyOf(placeOf(config)),
        taskId,
        taskId,
      ],
    );
  }

  override async get(taskId: string, id: string): Promise<StoredPushNotificationConfig | undefined> {
    if (!isKey(taskId)) return undefined;
    const [row] = await this.database.rows<ConfigRow>(
      `SELECT config_data FROM ${this.#configs} WHERE task_id = ? AND config_id = ?`,
      [taskId, keyOf(id)],
    );
    return row && toConfig(row);
  }

  override async list(taskId: string): Promise<readonly StoredPushNotificationConfig[]> {
    if (!isKey(taskId)) return [];
    const rows = await this.database.rows<ConfigRow>(
      `SELECT config_data FROM ${this.#configs} WHERE task_id = ? ORDER BY position, config_id`,
      [taskId],
    );
    return rows.map(toConfig);
  }

  override async delete(taskId: string, id: string): Promise<void> {
    if (!isKey(taskId)) return;
    await this.database.run(`DELETE FROM ${this.#configs} WHERE task_id = ? AND config_id = ?`, [
      taskId,
      keyOf(id),
    ]);
  }

  override async deleteAll(...taskIds: readonly string[]): Promise<void> {
    const keys = taskIds.filter(isKey);
    if (keys.length === 0) return;
    await this.database.run(`DELETE FROM ${this.#configs} WHERE task_id IN (${marks(keys.length)})`, keys);
  }

  override claim(claim: DeliveryClaim): Promise<readonly Delivery[]> {
    return this.#deliveries.claim(claim);
  }

  override renew(holder: string, ttlMs: number): Promise<void> {
    return this.#deliveries.renew(holder, ttlMs);
  }

  override note(delivery: Delivery, state: DeliveryState): Promise<boolean> {
    return this.#deliveries.note(delivery, state);
  }

  override release(holder: string): Promise<void> {
    return this.#deliveries.release(holder);
  }

  override openAmong(taskIds: readonly string[]): Promise<readonly string[]> {
    return this.#deliveries.openAmong(taskIds);
  }
}
