import { setTimeout as delay } from 'node:timers/promises';
import type { QueueManager } from '../interfaces/queue-manager.js';
import type { ActiveTask, Interruption } from './active-task.js';

const SHUTDOWN: Interruption = {
  reason: 'interrupted',
  text: 'interrupted: the agent was shut down before the task ended',
};

/** The tasks that this process works on. */
export class ActiveTasks {
  readonly #tasks = new Map<ActiveTask, Promise<void>>();

  /** Keeps the task, until whoever launched its work says that it is over. `work` never rejects. */
  add(task: ActiveTask, work: Promise<void>): void {
    this.#tasks.set(task, work);
  }

  delete(task: ActiveTask): void {
    this.#tasks.delete(task);
  }

  /** Whether this process works on the task. */
  has(taskId: string): boolean {
    return [...this.#tasks.keys()].some((task) => task.taskId === taskId);
  }

  /** Prolongs all leases; a task whose lease was lost is told so by its next append. */
  renew(queue: QueueManager, ttlMs: number): void {
    for (const task of this.#tasks.keys())
      queue.renew(task.lease, ttlMs).then(
        (kept) => kept || task.lose(),
        () => {},
      );
  }

  /**
   * Resolves when no task is left: after `drainMs` those that still run are interrupted. Answers the ids of those that were handed over.
   */
  async drain(drainMs: number): Promise<readonly string[]> {
    const patience = new AbortController();
    const tooLate = delay(drainMs, undefined, { signal: patience.signal, ref: false }).catch(() => {});
    await Promise.race([this.#idle(), tooLate]);
    patience.abort();
    const late = [...this.#tasks.keys()];
    for (const task of late) task.interrupt(SHUTDOWN);
    await this.#idle();
    return late.filter((task) => task.waits).map(({ taskId }) => taskId);
  }

  async #idle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks.values());
  }
}
