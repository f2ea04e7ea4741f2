/** What became of an attempt to deliver a notification. It holds nothing secret: of the URL its origin only. */
export interface PushNotificationEvent {
  /** `failed`: another attempt will follow; `gave-up`: none will, and the webhook is told nothing more of its task. */
  readonly kind: 'delivered' | 'failed' | 'gave-up';
  readonly taskId: string;
  /** Id of the webhook's config. */
  readonly configId: string;
  /** `X-A2A-Notification-Id`. */
  readonly notificationId: string;
  /** As in `https://example.com`. */
  readonly origin: string;
  /** Attempts at this notification so far. */
  readonly attempts: number;
  /** What the webhook answered, where it did. */
  readonly status?: number;
  /** Why it was not delivered. */
  readonly reason?: string;
  /** When the next attempt is due, in ms from now. */
  readonly retryInMs?: number;
}

/**
 * Learns how notifications fare, for metrics and alarms. By default the Logger does.
 *
 * @publicApi
 */
export abstract class PushNotificationMonitor {
  /** What it throws is logged and changes nothing. */
  abstract record(event: PushNotificationEvent): void;
}
