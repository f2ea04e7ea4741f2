import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions, type RetentionOptions } from '../interfaces/module-options.js';
import { TaskStore } from '../interfaces/task-store.js';
import { before } from './before.js';
import { FinishedTasks } from './finished-tasks.js';

/** Runs that may end between two prunings. */
const SOME_RUNS = 1_000;

const FOR_MEMORY = { finishedTtlMs: 3_600_000, maxFinished: 10_000 };
const FOR_EVER = { finishedTtlMs: 0, maxFinished: 0 };

/** Forgets finished tasks, with their logs and webhooks, so that memory stays bounded. Live tasks are never touched. */
@Injectable()
export class Retention implements OnModuleInit, BeforeApplicationShutdown {
  readonly #logger = new Logger('A2A');
  readonly #options: Required<RetentionOptions>;
  #timer: NodeJS.Timeout | undefined;
  #ended = 0;
  #pruneAfter = SOME_RUNS;
  #pruning: Promise<void> | undefined;

  constructor(
    store: TaskStore,
    private readonly finished: FinishedTasks,
    @Inject(A2A_OPTIONS) { retention }: ResolvedOptions,
  ) {
    this.#options = { ...(store.volatile ? FOR_MEMORY : FOR_EVER), ...retention };
  }

  onModuleInit(): void {
    this.#timer = setInterval(() => this.#soon(() => this.prune()), this.#options.intervalMs);
    this.#timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pruning;
  }

  /** A run has ended. The caps are looked after when many have, and the times by the timer. */
  noteFinished(): void {
    this.#ended += 1;
    if (this.#ended < this.#pruneAfter) return;
    this.#ended = 0;
    this.#soon(() => this.#pruneTo({}, {}));
  }

  /** Deletes what is older or more than the options say. */
  async prune(now = Date.now()): Promise<void> {
    const { finishedTtlMs, finishedLogTtlMs } = this.#options;
    await this.#pruneTo(
      finishedTtlMs > 0 ? { finishedBefore: new Date(before(now, finishedTtlMs)).toISOString() } : {},
      finishedLogTtlMs > 0 ? { closedBefore: before(now, finishedLogTtlMs) } : {},
    );
  }

  async #pruneTo(
    tasks: { readonly finishedBefore?: string },
    logs: { readonly closedBefore?: number },
  ): Promise<void> {
    const { maxFinished, maxFinishedLogs } = this.#options;
    const keepFinished = maxFinished > 0 && { keepFinished: maxFinished };
    const { spared } = await this.finished.prune({ ...tasks, ...keepFinished });
    // A receiver that is down must not make each prune walk over ever more that stays.
    this.#pruneAfter = Math.max(SOME_RUNS, spared);
    await this.finished.pruneLogs({ ...logs, ...(maxFinishedLogs > 0 && { keepClosed: maxFinishedLogs }) });
  }

  #soon(prune: () => Promise<void>): void {
    this.#pruning ??= prune()
      .catch((error: unknown) => this.#logger.warn(`Finished tasks were not pruned: ${String(error)}`))
      .finally(() => (this.#pruning = undefined));
  }
}
