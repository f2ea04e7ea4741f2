import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isInterrupted, isTerminal } from '../protocol/task-state.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { QueueManager, TaskLogNotFoundError, type Lease } from '../interfaces/queue-manager.js';
import { TaskStore, type TaskRecord } from '../interfaces/task-store.js';
import { statusUpdate } from './status-update.js';
import { TaskWriters } from './task-writers.js';

/** Live tasks whose log is gone, as when a Redis that persists nothing was restarted: their snapshots are all that is left. */
@Injectable()
export class LostLogs {
  readonly #holder = randomUUID();

  constructor(
    private readonly queue: QueueManager,
    private readonly store: TaskStore,
    private readonly writers: TaskWriters,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /** Makes the log anew, so that the task takes messages again; false when the task is unknown or has ended. */
  async restore(taskId: string): Promise<boolean> {
    const record = await this.store.get(taskId);
    if (!record || isTerminal(record.task.status.state)) return false;
    const lease = await this.#restore(record);
    if (lease) await this.queue.release(lease, 'parked', Infinity);
    return true;
  }

  /** Appends to the log of a task, which is made anew where it is gone. Throws what the append throws. */
  async restoring<T>(taskId: string, append: () => Promise<T>): Promise<T> {
    try {
      return await append();
    } catch (error) {
      if (!(error instanceof TaskLogNotFoundError) || !(await this.restore(taskId))) throw error;
      return append();
    }
  }

  /** Ends the task as FAILED, unless it waits for its caller: then its next message goes on with it. */
  async settle(taskId: string): Promise<void> {
    if (await this.queue.head(taskId)) return;
    const record = await this.store.get(taskId);
    if (!record || isTerminal(record.task.status.state) || isInterrupted(record.task.status.state)) return;
    const lease = await this.#restore(record);
    if (!lease) return;
    const { writer } = await this.writers.open(lease);
    const text = 'interrupted: the log of the task was lost';
    await writer.emit(statusUpdate(writer, 'TASK_STATE_FAILED', text, { reason: 'interrupted' }));
    await writer.settle();
    await this.queue.release(lease, 'ended', Infinity);
  }

  #restore({ task, sequence, fence, agent, tenant, owner }: TaskRecord): Promise<Lease | undefined> {
    const origin = { agent, tenant, owner, contextId: task.contextId ?? '' };
    const request = { holder: this.#holder, ttlMs: this.options.execution.leaseTtlMs };
    return this.queue.restore(task.id, origin, { sequence, token: fence }, request);
  }
}
