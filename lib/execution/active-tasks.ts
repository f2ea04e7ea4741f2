import { setTimeout as delay } from 'node:timers/promises';
import type { QueueManager } from '../interfaces/queue-manager.js';
import type { ActiveTask } from './active-task.js';

const SHUTDOWN = {
  reason: 'interrupted',
  text: 'interrupted: the agent was shut down before the task ended',
};

/** The tasks that this process works on. */
export class ActiveTasks {
  readonly #tasks = new Map<ActiveTask, Promise<void>>();

  /** Keeps the task until its work is over. */
  add(task: ActiveTask, work: Promise<void>): void {
    this.#tasks.set(task, work);
    // `work` never rejects: whoever launched it has handled what may go wrong.
    void work.then(() => this.#tasks.delete(task));
  }

  /** Prolongs all leases; a task whose lease was lost is told so by its next append. */
  renew(queue: QueueManager, ttlMs: number): void {
    for (const task of this.#tasks.keys())
      queue.renew(task.lease, ttlMs).then(
        (kept) => kept || task.lose(),
        () => {},
      );
  }

  /** Resolves when no task is left: after `drainMs` those that still run are ended as interrupted. */
  async drain(drainMs: number): Promise<void> {
    const patience = new AbortController();
    const late = delay(drainMs, undefined, { signal: patience.signal, ref: false }).catch(() => {});
    await Promise.race([this.#idle(), late]);
    patience.abort();
    for (const task of this.#tasks.keys()) task.interrupt(SHUTDOWN.reason, SHUTDOWN.text);
    await this.#idle();
  }

  async #idle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks.values());
  }
}
