import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { AgentRegistry } from '../interfaces/agent-registry.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { NotificationSigner } from '../interfaces/notification-signing.js';
import { PacedTimer } from '../interfaces/paced-timer.js';
import { placeOf, type Delivery, type StoredPushNotificationConfig } from '../interfaces/push-delivery.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { PushNotificationMonitor } from '../interfaces/push-notification-monitor.js';
import { PushNotificationSender } from '../interfaces/push-notification-sender.js';
import type { ResolvedPushOptions } from '../interfaces/push-options.js';
import { QueueManager } from '../interfaces/queue-manager.js';
import { TaskReader } from '../interfaces/task-reader.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { UrlGuard } from '../interfaces/url-guard.js';
import { DeliveryRuns } from './delivery-runs.js';
import { Poster } from './poster.js';
import { Turns } from './turns.js';

/** Deliveries that are claimed at a time. */
const BATCH = 100;
/** Least time between two warnings that store or log cannot be reached, in ms. */
const WARN_MS = 10_000;

/**
 * Sends what the store of webhooks holds open: each delivery is held by one process, which gives it back at its end, or loses it when it is
 * not heard of for a while.
 */
@Injectable()
export class OutboxPushNotificationSender
  extends PushNotificationSender
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  readonly #logger = new Logger('A2APush');
  readonly #holder = randomUUID();
  readonly #options: ResolvedPushOptions;
  readonly #drainMs: number;
  readonly #turns: Turns;
  readonly #runs: DeliveryRuns;
  readonly #sweep: PacedTimer;
  /** Tasks that were woken and are not claimed yet. */
  readonly #woken = new Set<string>();
  /** Whether there may be more to claim than of those. */
  #more = false;
  #sending = false;
  /** Whether a claim failed, which may have taken deliveries that nobody here knows of. */
  #doubtful = false;
  #claiming: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #warnedAt = 0;

  constructor(
    private readonly store: PushNotificationConfigStore,
    private readonly registry: AgentRegistry,
    private readonly runner: TaskRunner,
    queue: QueueManager,
    reader: TaskReader,
    urls: UrlGuard,
    monitor: PushNotificationMonitor,
    signer: NotificationSigner,
    @Inject(A2A_OPTIONS) { push, execution }: ResolvedOptions,
  ) {
    super();
    this.#options = push;
    this.#drainMs = execution.drainMs;
    this.#turns = new Turns(push.concurrency, push.concurrencyPerOrigin, () => this.#claimMore());
    this.#runs = new DeliveryRuns({
      store,
      queue,
      reader,
      turns: this.#turns,
      poster: new Poster(urls, signer, monitor, push),
      options: push,
      onTrouble: this.#warn,
    });
    this.#sweep = new PacedTimer(push.sweepMs, () => this.#claimAll(), this.#warn);
  }

  onApplicationBootstrap(): void {
    const pushes = this.registry.list().some(({ options }) => options.capabilities?.pushNotifications);
    if (!pushes || !this.#options.send) return;
    this.#sending = true;
    this.#sweep.start();
    const { leaseRenewMs, leaseTtlMs } = this.#options;
    this.#renewal = setInterval(() => {
      if (this.#runs.size > 0) this.store.renew(this.#holder, leaseTtlMs).catch(this.#warn);
    }, leaseRenewMs);
    this.#renewal.unref();
  }

  /** After the runs of this process, whose ends are to be told, and before log and store are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    if (!this.#sending) return;
    await this.runner.drain();
    // What only this process keeps, nobody else will send.
    this.#sending = this.store.volatile;
    await this.#sweep.stop();
    await this.#claiming;
    const patience = new AbortController();
    const late = delay(this.#drainMs, undefined, { signal: patience.signal, ref: false }).catch(() => {});
    await Promise.race([this.#runs.finish(), late]);
    patience.abort();
    this.#sending = false;
    await this.#runs.abort();
    clearInterval(this.#renewal);
    await this.store.release(this.#holder).catch(this.#warn);
  }

  override wake(taskId: string, made?: StoredPushNotificationConfig): void {
    if (!this.#sending) return;
    // Claimed when there is room.
    if (made && this.#turns.full.has(placeOf(made))) return;
    this.#runs.wake(taskId);
    this.#woken.add(taskId);
    this.#claiming ??= this.#claimWoken();
  }

  /** There is room again for a place that was full. */
  #claimMore(): void {
    if (!this.#sending) return;
    this.#more = true;
    this.#claiming ??= this.#claimWoken();
  }

  /** One round at a time: those that are woken meanwhile come together in the next. What fails is found by the sweep. */
  async #claimWoken(): Promise<void> {
    while (this.#more || this.#woken.size > 0) {
      const taskIds = this.#more || this.#woken.size > BATCH ? undefined : [...this.#woken];
      this.#more = false;
      this.#woken.clear();
      await this.#claimAll(taskIds).catch(this.#warn);
    }
    this.#claiming = undefined;
  }

  async #claimAll(taskIds?: readonly string[]): Promise<void> {
    const claim = {
      holder: this.#holder,
      ttlMs: this.#options.leaseTtlMs,
      limit: BATCH,
      exceptTo: this.#turns.full,
      ...(taskIds && { taskIds }),
    };
    let claimed: readonly Delivery[];
    // Their holder would renew them for ever: all are given back, and claimed anew.
    if (this.#doubtful) await this.store.release(this.#holder);
    this.#doubtful = false;
    do {
      try {
        claimed = await this.store.claim(claim);
      } catch (error) {
        this.#doubtful = true;
        throw error;
      }
      for (const delivery of claimed) this.#runs.start(delivery);
    } while (claimed.length === BATCH && this.#sending);
  }

  /** When they cannot be reached, all deliveries find out. */
  readonly #warn = (error: unknown): void => {
    const now = Date.now();
    if (now - this.#warnedAt < WARN_MS) return;
    this.#warnedAt = now;
    this.#logger.warn(
      `Notifications are late, as the store or the log could not be reached: ${String(error)}`,
    );
  };
}
