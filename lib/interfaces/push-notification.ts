import type { StreamResponse } from '../protocol/model.js';

/** Which member of its StreamResponse a notification has. */
export type NotificationKind = 'task' | 'message' | 'statusUpdate' | 'artifactUpdate';

/** What is known of a notification besides its event. */
export interface NotificationDelivery {
  /** The same each time this notification is sent; absent where the sender gives none. */
  readonly id?: string;
  /** The `token` of the webhook's config. */
  readonly token?: string;
  readonly kind: NotificationKind;
  /** Absent in a message that belongs to no task. */
  readonly taskId?: string;
  readonly contextId?: string;
  /** Name of the key that signed it; absent where signatures are not checked. */
  readonly signedBy?: string;
}

/** Which notifications a handler gets; all of them where it is empty. */
export interface PushNotificationFilter {
  readonly kind?: NotificationKind | readonly NotificationKind[];
  /** Its id, or a function that tells whether it is one. */
  readonly taskId?: string | ((taskId: string) => boolean);
}

/**
 * Handles a notification. It counts as handled when the result is there, or the promise has resolved; what is thrown has the sender repeat
 * it.
 */
export type PushNotificationHandler = (event: StreamResponse, delivery: NotificationDelivery) => unknown;

/** Whether a notification is one of those. */
export function matchesFilter(
  filter: PushNotificationFilter,
  { kind, taskId }: NotificationDelivery,
): boolean {
  if (filter.kind !== undefined && ![filter.kind].flat().includes(kind)) return false;
  if (filter.taskId === undefined) return true;
  if (taskId === undefined) return false;
  return typeof filter.taskId === 'string' ? filter.taskId === taskId : filter.taskId(taskId);
}
