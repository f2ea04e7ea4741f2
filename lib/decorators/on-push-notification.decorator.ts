import type { PushNotificationFilter, PushNotificationHandler } from '../interfaces/push-notification.js';
import { addPushNotificationFilter } from './metadata.js';

/** Decorates a method that is a PushNotificationHandler. */
export type PushNotificationDecorator = <Handler extends PushNotificationHandler>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Handler>,
) => void;

/**
 * Has a method of any provider handle the push notifications that come to the `A2AWebhookModule`. The sender is told that one arrived when
 * every handler is done with it, and repeats it when one throws; so a handler may get a notification again.
 *
 * @publicApi
 * @example
 * @OnPushNotification({ kind: 'statusUpdate' })
 * async onStatus({ statusUpdate }: StreamResponse, { taskId }: NotificationDelivery) {
 *   await this.orders.setState(taskId, statusUpdate!.status.state);
 * }
 */
export function OnPushNotification(filter: PushNotificationFilter = {}): PushNotificationDecorator {
  return (_target, _method, descriptor) => addPushNotificationFilter(descriptor.value!, filter);
}
