import { Injectable } from '@nestjs/common';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import type { TaskPushNotificationConfig } from '../protocol/model.js';
import { Database } from './database/database.js';
import { digestOf, isKey } from './database/text.js';

interface ConfigRow {
  readonly config_data: Buffer;
}

/**
 * Keeps the webhooks of tasks in the application's database.
 *
 * @publicApi
 */
@Injectable()
export class TypeOrmPushNotificationConfigStore extends PushNotificationConfigStore {
  readonly #configs: string;
  readonly #tasks: string;

  constructor(private readonly database: Database) {
    super();
    this.#configs = database.table('push_notification_configs');
    this.#tasks = database.table('tasks');
  }

  override async set(config: TaskPushNotificationConfig & { taskId: string; id: string }): Promise<void> {
    const { taskId, id } = config;
    if (!isKey(taskId)) throw new Error('The id of a task must be a text of at most 255 characters');
    const onConflict =
      this.database.dialect.name === 'mysql'
        ? 'ON DUPLICATE KEY UPDATE config_data = VALUES(config_data)'
        : 'ON CONFLICT (task_id, config_id) DO UPDATE SET config_data = excluded.config_data';
    // The Python SDK looks for webhooks by the owner of their task. One that is replaced keeps its place.
    await this.database.run(
      `INSERT INTO ${this.#configs} (task_id, config_id, config_data, protocol_version, owner, position)
       VALUES (?, ?, ?, '1.0',
         (SELECT owner FROM ${this.#tasks} WHERE id = ?),
         (SELECT next FROM (SELECT COALESCE(MAX(position), 0) + 1 AS next FROM ${this.#configs} WHERE task_id = ?) AS places))
       ${onConflict}`,
      [taskId, keyOf(id), Buffer.from(JSON.stringify(config)), taskId, taskId],
    );
  }

  override async get(taskId: string, id: string): Promise<TaskPushNotificationConfig | undefined> {
    if (!isKey(taskId)) return undefined;
    const [row] = await this.database.rows<ConfigRow>(
      `SELECT config_data FROM ${this.#configs} WHERE task_id = ? AND config_id = ?`,
      [taskId, keyOf(id)],
    );
    return row && configOf(row);
  }

  override async list(taskId: string): Promise<readonly TaskPushNotificationConfig[]> {
    if (!isKey(taskId)) return [];
    const rows = await this.database.rows<ConfigRow>(
      `SELECT config_data FROM ${this.#configs} WHERE task_id = ? ORDER BY position, config_id`,
      [taskId],
    );
    return rows.map(configOf);
  }

  override async delete(taskId: string, id: string): Promise<void> {
    if (!isKey(taskId)) return;
    await this.database.run(`DELETE FROM ${this.#configs} WHERE task_id = ? AND config_id = ?`, [
      taskId,
      keyOf(id),
    ]);
  }

  override async deleteAll(taskId: string): Promise<void> {
    if (isKey(taskId)) await this.database.run(`DELETE FROM ${this.#configs} WHERE task_id = ?`, [taskId]);
  }
}

/** Callers choose the id; what cannot be a key is found by its digest. The config itself has the id. */
function keyOf(id: string): string {
  return isKey(id) ? id : `sha256:${digestOf(id)}`;
}

function configOf({ config_data }: ConfigRow): TaskPushNotificationConfig {
  return JSON.parse(config_data.toString()) as TaskPushNotificationConfig;
}
