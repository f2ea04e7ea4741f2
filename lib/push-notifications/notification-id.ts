import { createHash } from 'node:crypto';
import type { StoredPushNotificationConfig } from '../interfaces/push-delivery.js';

/**
 * The id of a notification: the same for every attempt, whichever process makes it, and another for every other notification. It can stand in
 * a header, whatever the caller chose as the config's id.
 * @param sequence number of the last record of the log that the notification tells of.
 * @param snapshot whether it tells of it by the Task as it is: a log that was lost may come to the same number by another way.
 */
export function notificationId(
  { taskId, id }: StoredPushNotificationConfig,
  sequence: number,
  snapshot: boolean,
): string {
  const webhook = createHash('sha256')
    .update(JSON.stringify([taskId, id]))
    .digest('base64url')
    .slice(0, 24);
  return `${webhook}.${snapshot ? 't' : ''}${sequence}`;
}
