import type { TaskWriter } from '../execution/task-writer.js';
import type { TaskWriters } from '../execution/task-writers.js';
import { statusUpdate } from '../execution/status-update.js';
import type { LeaseRequest, MessageCommand, QueueManager } from '../interfaces/queue-manager.js';
import type { Pokes } from './pokes.js';

const NO_WORKER = { reason: 'no-worker' };
const NO_WORKER_TEXT = 'no-worker: no worker has taken the task up in time';

/** What is done to a new task while it waits for its first run, under a short lease. Nothing, when a run has begun. */
export class QueuedTask {
  constructor(
    private readonly taskId: string,
    private readonly queue: QueueManager,
    private readonly writers: TaskWriters,
    private readonly request: LeaseRequest,
    private readonly pokes: Pokes,
  ) {}

  /** Publishes the task as SUBMITTED. */
  publish(): Promise<void> {
    return this.#write(async (writer, { message }) => {
      writer.publish(message);
      await writer.flush();
    });
  }

  /** Takes the task back, unless it was published. */
  async withdraw(): Promise<void> {
    await this.queue.withdraw(this.taskId);
  }

  /** Takes the task back, or ends it as FAILED where it is known to its caller already. */
  async giveUp(): Promise<void> {
    if (await this.queue.withdraw(this.taskId)) return;
    await this.#write((writer, { message }) => {
      writer.publish(message);
      return writer.emit(statusUpdate(writer, 'TASK_STATE_FAILED', NO_WORKER_TEXT, NO_WORKER));
    });
  }

  async #write(write: (writer: TaskWriter, first: MessageCommand) => Promise<void>): Promise<void> {
    const head = await this.queue.head(this.taskId);
    if (!head || head.closed || head.holder || head.runState !== 'queued') return;
    const lease = await this.queue.acquire(this.taskId, { ...this.request, keepState: true });
    if (!lease) return;
    let closed = false;
    try {
      const { writer, untaken } = await this.writers.open(lease);
      const command = untaken[0]?.sequence === 1 ? untaken[0].command : undefined;
      if (lease.found !== 'queued' || command?.kind !== 'message') return;
      await write(writer, command);
      await writer.settle();
      closed = writer.closed;
    } finally {
      await this.queue.release(lease, closed ? 'ended' : lease.found, Infinity);
      // Whoever came meanwhile was told that there is a holder.
      if (!closed) await this.pokes.add({ taskId: this.taskId, sequence: head.sequence, token: lease.token });
    }
  }
}
