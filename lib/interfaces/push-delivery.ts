import type { TaskPushNotificationConfig } from '../protocol/model.js';

/** A webhook as it is kept: with its task, and with the id that the server gave it where the caller gave none. */
export type StoredPushNotificationConfig = TaskPushNotificationConfig & {
  readonly taskId: string;
  readonly id: string;
};

/** How far a webhook has been told the story of its task. */
export interface DeliveryState {
  /** Number of the last record of the task's log that arrived; absent: it begins with the Task as it is. */
  readonly cursor?: number;
  /** Number of the last record of the notification that is being sent: after a crash the same range goes out again, under the same id. */
  readonly pending?: number;
  /** Attempts at the pending notification that failed. */
  readonly failures: number;
  /** `open`: the story goes on; `done`: all of it arrived; `unhealthy`: given up. */
  readonly status: 'open' | 'done' | 'unhealthy';
}

/** A delivery, held by one sender. */
export interface Delivery extends DeliveryState {
  readonly config: StoredPushNotificationConfig;
  readonly holder: string;
  /** Grows each time that a sender takes the delivery: what an earlier one wants to note is refused. */
  readonly token: number;
}

export interface DeliveryClaim {
  /** Id of the sender. */
  readonly holder: string;
  /** How long the deliveries are the sender's unless it renews, in ms. */
  readonly ttlMs: number;
  /** Most deliveries to take. */
  readonly limit: number;
  /** Of these tasks only: their configs were just made. At most 500. */
  readonly taskIds?: readonly string[];
  /** Places, as {@link placeOf} names them, for which the sender has enough in hand: what goes there may stay for later, or for other senders. */
  readonly exceptTo?: ReadonlySet<string>;
}

let lastUrl = '';
let lastPlace = '';

/** Where a webhook leads: the origin of its URL. What goes to one place waits for the same receiver. */
export function placeOf({ url }: Pick<StoredPushNotificationConfig, 'url'>): string {
  // Mostly the same receiver as before, and then the same string, of which there may be very many.
  if (url === lastUrl) return lastPlace;
  lastPlace = URL.canParse(url) ? new URL(url).origin : '';
  lastUrl = url;
  return lastPlace;
}
