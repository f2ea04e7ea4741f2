import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { AgentRegistry } from '../interfaces/agent-registry.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { QueueManager } from '../interfaces/queue-manager.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { TaskStore, type TaskCursor } from '../interfaces/task-store.js';
import { LostLogs } from './lost-logs.js';
import { PacedTimer } from '../interfaces/paced-timer.js';
import { Workshop } from './workshop.js';

/** Tasks that one sweep looks after at a time. */
const BATCH = 100;

/**
 * Finds the tasks whose process was lost, at boot and from time to time. Every process looks; the lease decides which one settles a task.
 */
@Injectable()
export class Recovery implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger('A2A');
  readonly #timers: readonly PacedTimer[];

  constructor(
    private readonly queue: QueueManager,
    private readonly store: TaskStore,
    private readonly runner: TaskRunner,
    private readonly workshop: Workshop,
    private readonly lost: LostLogs,
    private readonly registry: AgentRegistry,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {
    const { sweepMs, lostLogsMs } = options.recovery;
    this.#timers = [
      new PacedTimer(sweepMs, () => this.sweep(), this.#warn),
      new PacedTimer(lostLogsMs, () => this.settleLost(), this.#warn),
    ];
  }

  onApplicationBootstrap(): void {
    for (const timer of this.#timers) timer.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.#timers.map((timer) => timer.stop()));
  }

  /** Settles what nobody works on though somebody should, and has messages that wait for too long taken. */
  async sweep(now = Date.now()): Promise<void> {
    // Those whose holder was lost go first, so that messages which wait for a worker do not hide them.
    const lost = await this.queue.abandoned({ queuedBefore: 0, limit: BATCH });
    const queuedBefore = now - this.options.execution.startTimeoutMs;
    const waiting = await this.queue.abandoned({ queuedBefore, limit: BATCH });
    for (const taskId of new Set([...lost, ...waiting])) {
      if (!this.workshop.accepting) return;
      await this.#tend(taskId).catch((error: unknown) => this.#warn(error, taskId));
    }
  }

  /** Settles live tasks whose log is gone. */
  async settleLost(now = Date.now()): Promise<void> {
    const before = new Date(now - this.options.execution.leaseTtlMs).toISOString();
    let after: TaskCursor | undefined;
    do {
      const page = await this.store.staleSince(before, BATCH, after);
      for (const { id } of page) {
        if (!this.workshop.accepting) return;
        await this.lost.settle(id).catch((error: unknown) => this.#warn(error, id));
      }
      after = page.length < BATCH ? undefined : page.at(-1);
    } while (after);
  }

  async #tend(taskId: string): Promise<void> {
    const head = await this.queue.head(taskId);
    // A lease of this process that has expired is still its own as long as nobody takes it.
    if (!head || head.holder || this.workshop.isActive(taskId)) return;
    if (!this.registry.list().some(({ id }) => id === head.agent)) return;
    // Nobody is to hold a log that was never taken except for a run: then it can still be withdrawn.
    const waits = head.runState === 'queued' && !head.closed ? true : await this.workshop.settle(taskId);
    if (waits) await this.runner.poke(taskId);
  }

  readonly #warn = (error: unknown, taskId?: string): void => {
    const what =
      taskId === undefined
        ? 'Tasks whose process was lost were'
        : `Task ${taskId}, whose process was lost, was`;
    this.#logger.warn(`${what} not recovered: ${String(error)}`);
  };
}
