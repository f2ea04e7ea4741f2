/**
 * Tells webhooks the story of their tasks. It reads the log like any other reader, so that no webhook delays an executor, a stream or a caller.
 *
 * @publicApi
 */
export abstract class PushNotificationSender {
  /** Webhooks of a task were made, changed or deleted in this process: look after them at once. Others are found in time without. */
  abstract wake(taskId: string): void;
}
