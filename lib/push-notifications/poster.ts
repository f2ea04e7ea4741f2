import { Logger } from '@nestjs/common';
import type { ResolvedPushOptions } from '../interfaces/push-options.js';
import type { NotificationSigner } from '../interfaces/notification-signing.js';
import { placeOf, type StoredPushNotificationConfig } from '../interfaces/push-delivery.js';
import type {
  PushNotificationEvent,
  PushNotificationMonitor,
} from '../interfaces/push-notification-monitor.js';
import type { TraceContext } from '../interfaces/server-call-context.js';
import type { UrlGuard } from '../interfaces/url-guard.js';
import { headersOf } from './headers-of.js';
import { notificationId } from './notification-id.js';
import type { Notification } from './story.js';
import { judgeAnswer, judgeError, type Verdict } from './verdict.js';

/** Most bytes of an answer, which nobody looks at. */
const MAX_ANSWER_BYTES = 256 * 1024;

const logger = new Logger('A2APush');

/** Makes single attempts to deliver, and tells the monitor of them. */
export class Poster {
  constructor(
    private readonly urls: UrlGuard,
    private readonly signer: NotificationSigner,
    private readonly monitor: PushNotificationMonitor,
    private readonly options: ResolvedPushOptions,
  ) {}

  /** Throws the signal's reason where it was aborted. */
  async post(
    config: StoredPushNotificationConfig,
    { event, sequence, snapshot }: Notification,
    signal: AbortSignal,
    trace?: TraceContext,
  ): Promise<Verdict> {
    const id = notificationId(config, sequence, snapshot);
    const { url } = config;
    const body = Buffer.from(JSON.stringify(event));
    try {
      const signature = await this.signer.sign({ id, url, body });
      const headers = { ...headersOf(config, id, trace), ...signature };
      const { timeoutMs } = this.options;
      const answer = await this.urls.fetch(url, {
        method: 'POST',
        headers,
        body,
        timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
      });
      return judgeAnswer(answer);
    } catch (error) {
      signal.throwIfAborted();
      return judgeError(error);
    }
  }

  record(
    config: StoredPushNotificationConfig,
    { sequence, snapshot }: Notification,
    outcome: Pick<PushNotificationEvent, 'kind' | 'attempts' | 'status' | 'reason' | 'retryInMs'>,
  ): void {
    const { taskId, id: configId } = config;
    const notificationIdOf = notificationId(config, sequence, snapshot);
    try {
      this.monitor.record({
        taskId,
        configId,
        notificationId: notificationIdOf,
        // Its path may be the secret.
        origin: placeOf(config),
        ...outcome,
      });
    } catch (error) {
      logger.error(`The monitor failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
