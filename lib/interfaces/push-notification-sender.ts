import type { StoredPushNotificationConfig } from './push-delivery.js';

/**
 * Tells webhooks the story of their tasks. It reads the log like any other reader, so that no webhook delays an executor, a stream or a caller.
 *
 * @publicApi
 */
export abstract class PushNotificationSender {
  /**
   * Webhooks of a task were made, changed or deleted in this process: look after them at once. Others are found in time without.
   * @param made the one webhook, where it was made and the task begins with it: a sender that cannot tell that receiver anything soon may leave it.
   */
  abstract wake(taskId: string, made?: StoredPushNotificationConfig): void;
}
