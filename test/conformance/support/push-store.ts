import { PushNotificationConfigStore, type TaskPushNotificationConfig } from 'nest-a2a';

type Config = TaskPushNotificationConfig & { taskId: string; id: string };

/** Keeps webhooks in memory; nothing is delivered. */
export class MemoryPushStore extends PushNotificationConfigStore {
  readonly #configs = new Map<string, Config>();

  get size(): number {
    return this.#configs.size;
  }

  override async set(config: Config): Promise<void> {
    this.#configs.set(`${config.taskId}/${config.id}`, config);
  }

  override async get(taskId: string, id: string): Promise<Config | undefined> {
    return this.#configs.get(`${taskId}/${id}`);
  }

  override async list(taskId: string): Promise<Config[]> {
    return [...this.#configs.values()].filter((config) => config.taskId === taskId);
  }

  override async delete(taskId: string, id: string): Promise<void> {
    this.#configs.delete(`${taskId}/${id}`);
  }

  override async deleteAll(taskId: string): Promise<void> {
    for (const { id } of await this.list(taskId)) await this.delete(taskId, id);
  }
}
