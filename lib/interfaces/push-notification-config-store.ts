import type { TaskPushNotificationConfig } from '../protocol/model.js';

/**
 * Keeps the webhooks of tasks. Whoever calls it has checked the owner of the task.
 *
 * @publicApi
 */
export abstract class PushNotificationConfigStore {
  /** Creates, or replaces the one with the same task and id. */
  abstract set(config: TaskPushNotificationConfig & { taskId: string; id: string }): Promise<void>;

  abstract get(taskId: string, id: string): Promise<TaskPushNotificationConfig | undefined>;

  /** In the order of creation. */
  abstract list(taskId: string): Promise<readonly TaskPushNotificationConfig[]>;

  /** Deleting what is not there is no error (§3.1.10: idempotent). */
  abstract delete(taskId: string, id: string): Promise<void>;

  abstract deleteAll(taskId: string): Promise<void>;
}
