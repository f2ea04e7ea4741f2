import { Inject, Injectable, Logger } from '@nestjs/common';
import { bytesOf } from '../http/json-body.js';
import { NotificationLedger } from '../interfaces/notification-ledger.js';
import type { NotificationDelivery } from '../interfaces/push-notification.js';
import { UnavailableError } from '../protocol/errors.js';
import { NotificationChecks } from './checks/notification-checks.js';
import type { IncomingNotification } from './incoming-notification.js';
import { NotificationHandlers } from './notification-handlers.js';
import { readNotification, type ReadNotification } from './read-notification.js';
import { A2A_WEBHOOK_OPTIONS, type ResolvedWebhookOptions } from './webhook-options.js';

/** Takes a notification in: checks it, recognises a repeated one, and has it handled. */
@Injectable()
export class NotificationReceiver {
  readonly #logger = new Logger('A2AWebhookModule');

  constructor(
    private readonly checks: NotificationChecks,
    private readonly handlers: NotificationHandlers,
    private readonly ledger: NotificationLedger,
    @Inject(A2A_WEBHOOK_OPTIONS) private readonly options: ResolvedWebhookOptions,
  ) {}

  /**
   * Resolves when the notification was handled, now or before.
   * @param request the platform's.
   * @throws what the sender is to be told.
   */
  async receive(incoming: IncomingNotification, request: object): Promise<void> {
    bytesOf(incoming.body);
    const signedBy = await this.checks.admit(incoming);
    const { event, delivery } = readNotification(incoming, this.options.maxDepth);
    const notification = { event, delivery: { ...delivery, ...(signedBy !== undefined && { signedBy }) } };
    await this.checks.expect(incoming, notification);
    const key = keyOf(delivery);
    if (key === undefined) return this.handlers.run(notification, request);
    await this.#once(key, notification, request);
  }

  async #once(key: string, notification: ReadNotification, request: object): Promise<void> {
    const { claimMs, keepMs } = this.options.deduplication;
    const claim = await this.#claim(key, claimMs);
    if (claim === 'done') return;
    if (claim === 'busy')
      throw new UnavailableError('This notification is being handled', { retryAfterSeconds: 1 });
    try {
      await this.handlers.run(notification, request);
    } catch (error) {
      await this.ledger.release(key).catch((failure: unknown) => this.#report('release', failure));
      throw error;
    }
    // It was handled, whether that can be remembered or not.
    await this.ledger.complete(key, keepMs).catch((failure: unknown) => this.#report('complete', failure));
  }

  async #claim(key: string, claimMs: number) {
    try {
      return await this.ledger.claim(key, claimMs);
    } catch (failure) {
      this.#report('claim', failure);
      throw new UnavailableError('Notifications cannot be taken at present', { retryAfterSeconds: 5 });
    }
  }

  #report(what: string, failure: unknown): void {
    const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
    this.#logger.error(`The ledger of notifications failed to ${what}: ${text}`);
  }
}

/** With its task, so that no sender of another task can take an id away. */
function keyOf({ id, taskId = '' }: NotificationDelivery): string | undefined {
  return id === undefined ? undefined : JSON.stringify([taskId, id]);
}
