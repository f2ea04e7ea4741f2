import { Inject, Injectable } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { QueueManager, type CancelCommand } from '../interfaces/queue-manager.js';
import { LogWatch } from './log-watch.js';
import { LostLogs } from './lost-logs.js';
import { Workshop } from './workshop.js';

/** How much longer than the grace period a canceller waits for the lease holder, in ms. */
const HOLDER_EXTRA_MS = 1_000;

/** Cancels tasks wherever they run: the command goes to the log, and who holds the lease obeys it, or loses the lease. */
@Injectable()
export class Canceller {
  readonly #patienceMs: number;

  constructor(
    private readonly queue: QueueManager,
    private readonly workshop: Workshop,
    private readonly lost: LostLogs,
    @Inject(A2A_OPTIONS) { execution }: ResolvedOptions,
  ) {
    this.#patienceMs = execution.cancelGraceMs + HOLDER_EXTRA_MS;
  }

  /** Resolves when the log is closed, by the cancel or by an end that came first. */
  async cancel(taskId: string, command: CancelCommand): Promise<void> {
    const deadline = Date.now() + this.#patienceMs;
    const watch = new LogWatch(this.queue, taskId);
    try {
      await this.lost.restoring(taskId, () => this.queue.appendCommand(taskId, command));
      for (;;) {
        const head = await this.queue.head(taskId);
        if (!head || head.closed) return;
        const late = Date.now() >= deadline;
        const resumed =
          !head.holder || late ? await this.workshop.resume(taskId, { takeOver: late, command }) : undefined;
        // Its own work is waited for: to look again meanwhile would be to take the lease from itself.
        // If that fails, the log says what to do next.
        await (resumed?.work.catch(() => {}) ?? watch.next(late ? HOLDER_EXTRA_MS : deadline - Date.now()));
      }
    } finally {
      watch.dispose();
    }
  }
}
