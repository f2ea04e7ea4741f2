import { Injectable, Logger } from '@nestjs/common';
import type { TaskPushNotificationConfig } from '../protocol/model.js';
import { IdGenerator } from '../interfaces/id-generator.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { PushNotificationSender } from '../interfaces/push-notification-sender.js';
import { TaskLogExistsError } from '../interfaces/queue-manager.js';
import { PushConfigLimit } from './push-config-limit.js';

/**
 * Webhooks that come along with a message. They are kept before the message is handed over, so that they miss nothing of what comes of it, and
 * taken back when it is refused.
 */
@Injectable()
export class InlineWebhooks {
  readonly #logger = new Logger('A2A');

  constructor(
    private readonly store: PushNotificationConfigStore,
    private readonly sender: PushNotificationSender,
    private readonly ids: IdGenerator,
    private readonly limit: PushConfigLimit,
  ) {}

  /** Of a message that begins a task: its webhook is told the whole story. */
  begin<T>(
    webhook: TaskPushNotificationConfig | undefined,
    taskId: string,
    start: () => Promise<T>,
  ): Promise<T> {
    return webhook ? this.#begin(webhook, taskId, start) : start();
  }

  async #begin<T>(webhook: TaskPushNotificationConfig, taskId: string, start: () => Promise<T>): Promise<T> {
    const id = webhook.id ?? this.ids.pushNotificationConfigId();
    const made = { ...webhook, taskId, id };
    await this.store.set(made, 0);
    try {
      return await start();
    } catch (error) {
      // Where the same message began the task elsewhere, an id of the caller names the webhook that came along there.
      if (webhook.id === undefined || !(error instanceof TaskLogExistsError))
        await this.#undo(taskId, () => this.store.delete(taskId, id));
      throw error;
    } finally {
      // Not before there is a log to read.
      this.sender.wake(taskId, made);
    }
  }

  /** Of a message to a task that is there: as if the webhook had been made a moment before. */
  async follow<T>(
    webhook: TaskPushNotificationConfig | undefined,
    taskId: string,
    send: () => Promise<T>,
  ): Promise<T> {
    if (!webhook) return send();
    const id = webhook.id ?? this.ids.pushNotificationConfigId();
    const replaced = webhook.id === undefined ? undefined : await this.store.get(taskId, id);
    await this.limit.set({ ...webhook, taskId, id });
    this.sender.wake(taskId);
    try {
      return await send();
    } catch (error) {
      await this.#undo(taskId, () => (replaced ? this.store.set(replaced) : this.store.delete(taskId, id)));
      this.sender.wake(taskId);
      throw error;
    }
  }

  /** The refusal is what the caller is answered, whatever becomes of this. */
  async #undo(taskId: string, undo: () => Promise<void>): Promise<void> {
    await undo().catch((error: unknown) =>
      this.#logger.warn(`The webhook of a refused message stays with task ${taskId}: ${String(error)}`),
    );
  }
}
