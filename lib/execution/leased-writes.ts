import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { TaskNotFoundError } from '../protocol/errors.js';
import type { StreamResponse } from '../protocol/model.js';
import { TaskEndedError } from '../interfaces/event-queue.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { QueueManager, type Lease } from '../interfaces/queue-manager.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { TaskStore } from '../interfaces/task-store.js';
import { LogWatch } from './log-watch.js';
import { TaskWriters } from './task-writers.js';
import type { TaskWriter } from './task-writer.js';

/** Writes single events to tasks that no run works on: takes the lease, writes, and gives it back as it was. */
@Injectable()
export class LeasedWrites {
  readonly #holder = randomUUID();

  constructor(
    private readonly queue: QueueManager,
    private readonly store: TaskStore,
    private readonly runner: TaskRunner,
    private readonly writers: TaskWriters,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /**
   * Logs one event, and resolves when it is. Waits up to `waitMs` for a run that holds the lease.
   * Throws TaskNotFoundError, TaskEndedError, or an Error when the lease was held too long.
   */
  async write(taskId: string, event: (writer: TaskWriter) => StreamResponse, waitMs: number): Promise<void> {
    const lease = await this.#acquire(taskId, waitMs);
    try {
      const { writer } = await this.writers.open(lease);
      await writer.emit(event(writer));
      await writer.settle();
    } finally {
      await this.#release(lease);
    }
  }

  async #acquire(taskId: string, waitMs: number): Promise<Lease> {
    const deadline = Date.now() + waitMs;
    const watch = new LogWatch(this.queue, taskId);
    try {
      for (;;) {
        const head = await this.queue.head(taskId);
        if (!head || head.closed) throw await this.#ended(taskId);
        const request = { holder: this.#holder, ttlMs: this.options.execution.leaseTtlMs };
        const lease = await this.queue.acquire(taskId, request);
        if (lease) return lease;
        if (Date.now() >= deadline)
          throw new Error(`Task ${taskId} is being worked on; its lease did not come free`);
        await watch.next(deadline - Date.now());
      }
    } finally {
      watch.dispose();
    }
  }

  async #ended(taskId: string): Promise<Error> {
    return (await this.store.get(taskId)) ? new TaskEndedError(taskId) : new TaskNotFoundError();
  }

  /** Whatever came in meanwhile waits for a run, unless the task is detached. */
  async #release(lease: Lease): Promise<void> {
    const before = lease.found === 'running' ? 'detached' : lease.found;
    await this.queue.release(lease, before, Infinity);
    const head = await this.queue.head(lease.taskId);
    if (head && !head.closed && before !== 'detached' && head.sequence > head.taken)
      await this.runner.poke(lease.taskId);
  }
}
