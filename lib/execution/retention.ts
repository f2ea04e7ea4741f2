import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions, type RetentionOptions } from '../interfaces/module-options.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { QueueManager } from '../interfaces/queue-manager.js';
import { TaskStore } from '../interfaces/task-store.js';

/** Runs that may end between two prunings. */
const SOME_RUNS = 1_000;

/** Forgets finished tasks, with their logs and webhooks, so that memory stays bounded. Live tasks are never touched. */
@Injectable()
export class Retention implements OnModuleInit, BeforeApplicationShutdown {
  readonly #logger = new Logger('A2A');
  readonly #options: Required<RetentionOptions>;
  #timer: NodeJS.Timeout | undefined;
  #ended = 0;
  #pruning: Promise<void> | undefined;

  constructor(
    private readonly store: TaskStore,
    private readonly queue: QueueManager,
    @Inject(PushNotificationConfigStore) private readonly configs: PushNotificationConfigStore | null,
    @Inject(A2A_OPTIONS) { retention }: ResolvedOptions,
  ) {
    this.#options = retention;
  }

  onModuleInit(): void {
    this.#timer = setInterval(() => this.#pruneSoon(), this.#options.intervalMs);
    this.#timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pruning;
  }

  /** A run has ended: many of them are a reason to look before the timer does. */
  noteFinished(): void {
    this.#ended += 1;
    if (this.#ended >= SOME_RUNS) this.#pruneSoon();
  }

  /** Deletes what is older than the options say. */
  async prune(now = Date.now()): Promise<void> {
    const { finishedTtlMs, maxFinished, finishedLogTtlMs } = this.#options;
    const ids = await this.store.prune({
      ...(finishedTtlMs > 0 && { finishedBefore: new Date(now - finishedTtlMs).toISOString() }),
      ...(maxFinished > 0 && { keepFinished: maxFinished }),
    });
    for (const id of ids) {
      await this.queue.remove(id);
      await this.configs?.deleteAll(id);
    }
    await this.queue.prune({
      ...(finishedLogTtlMs > 0 && { closedBefore: now - finishedLogTtlMs }),
      ...(maxFinished > 0 && { keepClosed: maxFinished }),
    });
  }

  #pruneSoon(): void {
    this.#ended = 0;
    this.#pruning ??= this.prune()
      .catch((error: unknown) => this.#logger.warn(`Finished tasks were not pruned: ${String(error)}`))
      .finally(() => (this.#pruning = undefined));
  }
}
