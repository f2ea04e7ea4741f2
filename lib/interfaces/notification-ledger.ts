/**
 * What became of an attempt to take a notification: `claimed`, so that the caller handles it; `busy`, somebody does at present; `done`,
 * somebody did.
 */
export type NotificationClaim = 'claimed' | 'busy' | 'done';

/**
 * Remembers which notifications were handled, so that a repeated one is not handled again. One that is shared makes that true across
 * replicas.
 *
 * @publicApi
 */
export abstract class NotificationLedger {
  /**
   * Takes a notification, in one atomic step.
   * @param key names the notification.
   * @param claimMs after which it may be taken again, in case the process dies meanwhile.
   */
  abstract claim(key: string, claimMs: number): Promise<NotificationClaim>;

  /** The notification was handled. @param keepMs how long that has to be remembered. */
  abstract complete(key: string, keepMs: number): Promise<void>;

  /** It was not, and may be taken again at once. */
  abstract release(key: string): Promise<void>;
}
