import type {
  Delivery,
  DeliveryClaim,
  DeliveryState,
  StoredPushNotificationConfig,
} from './push-delivery.js';

/**
 * Keeps the webhooks of tasks, and how far each was told the story of its task: the outbox. Whoever calls it has checked the owner of the task.
 *
 * @publicApi
 */
export abstract class PushNotificationConfigStore {
  /** Whether webhooks are kept in the memory of this process. */
  get volatile(): boolean {
    return false;
  }

  /**
   * Creates, or replaces the one with the same task and id. A new one is told what comes after the number `after` in the task's log (0: the whole
   * story), without it the Task as it is and what follows. One that is replaced goes on where it was, and is open again when it had been given up.
   */
  abstract set(config: StoredPushNotificationConfig, after?: number): Promise<void>;

  abstract get(taskId: string, id: string): Promise<StoredPushNotificationConfig | undefined>;

  /** In the order of creation. */
  abstract list(taskId: string): Promise<readonly StoredPushNotificationConfig[]>;

  /** Deleting what is not there is no error (§3.1.10: idempotent). */
  abstract delete(taskId: string, id: string): Promise<void>;

  /** All webhooks of these tasks. */
  abstract deleteAll(...taskIds: readonly string[]): Promise<void>;

  /**
   * Takes open deliveries that nobody holds, or whose holder did not renew in time, in one atomic step: no two senders get the same one.
   * The oldest first. When it rejects, some may have been taken all the same: before its next claim the sender gives all back that it holds, as it
   * would go on renewing what it does not know of.
   */
  abstract claim(claim: DeliveryClaim): Promise<readonly Delivery[]>;

  /** Keeps everything that a sender holds for `ttlMs` more, unless another has taken it. */
  abstract renew(holder: string, ttlMs: number): Promise<void>;

  /**
   * Notes how far a delivery came. False, and nothing changes, when another sender has taken it or the config was deleted or replaced since:
   * the sender lets go, and whoever claims it next sees the config as it is.
   */
  abstract note(delivery: Delivery, state: DeliveryState): Promise<boolean>;

  /** Gives back everything that a sender holds, for others to go on with. */
  abstract release(holder: string): Promise<void>;

  /** Of these tasks, those with deliveries that are open: what they are told from is still needed. */
  abstract openAmong(taskIds: readonly string[]): Promise<readonly string[]>;
}
