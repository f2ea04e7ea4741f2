import { Injectable, Logger } from '@nestjs/common';
import {
  PushNotificationMonitor,
  type PushNotificationEvent,
} from '../interfaces/push-notification-monitor.js';

/** Writes a warning where a webhook is given up, and everything else for debugging. */
@Injectable()
export class LoggerPushNotificationMonitor extends PushNotificationMonitor {
  readonly #logger = new Logger('A2APush');

  override record({ kind, ...event }: PushNotificationEvent): void {
    // JSON, so that no id of a caller makes two lines of one.
    const text = `${kind} ${JSON.stringify(event)}`;
    if (kind === 'gave-up') this.#logger.warn(text);
    else this.#logger.debug(text);
  }
}
