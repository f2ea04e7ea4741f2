import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { TaskNotFoundError } from '../protocol/errors.js';
import type { StreamResponse } from '../protocol/model.js';
import { TaskEndedError } from '../interfaces/event-queue.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { QueueManager, type Lease, type LeaseRequest } from '../interfaces/queue-manager.js';
import { TaskReader } from '../interfaces/task-reader.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { LogWatch } from './log-watch.js';
import { LostLogs } from './lost-logs.js';
import { TaskWriters } from './task-writers.js';
import type { TaskWriter } from './task-writer.js';

const logger = new Logger('A2A');

/** Writes single events to tasks that no run works on: takes the lease, writes, and gives it back as it was. */
@Injectable()
export class LeasedWrites {
  readonly #holder = randomUUID();
  /** The last write to each task: one of them at a time asks for the lease, so that many do not crowd around the log. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(
    private readonly queue: QueueManager,
    private readonly reader: TaskReader,
    private readonly runner: TaskRunner,
    private readonly writers: TaskWriters,
    private readonly lost: LostLogs,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /**
   * Logs one event after those that this process was told before, and resolves when it is. Waits up to `waitMs` for whoever holds the lease; one that was lost is left to the recovery
   * unless `overLost` is given. Throws TaskNotFoundError, TaskEndedError, or an Error when the lease was held too long.
   */
  async write(
    taskId: string,
    event: (writer: TaskWriter) => StreamResponse,
    options: WriteOptions,
  ): Promise<void> {
    const write = (): Promise<void> => this.#write(taskId, event, options);
    const turn = (this.#turns.get(taskId) ?? Promise.resolve()).then(write, write);
    this.#turns.set(taskId, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(taskId) === turn) this.#turns.delete(taskId);
    }
  }

  async #write(
    taskId: string,
    event: (writer: TaskWriter) => StreamResponse,
    options: WriteOptions,
  ): Promise<void> {
    const lease = await this.#acquire(taskId, options);
    try {
      const { writer } = await this.writers.open(lease);
      await writer.emit(event(writer));
      // The event is logged, which is what was promised. If its snapshot cannot be saved, the lease is left to expire: the recovery saves it.
      await writer.settle().catch((error: unknown) => {
        logger.warn(
          `The snapshot of task ${taskId} was not saved; its log still has all of it: ${String(error)}`,
        );
        throw new NotSaved();
      });
    } catch (error) {
      if (error instanceof NotSaved) return;
      await this.#release(lease).catch(() => {});
      throw error;
    }
    await this.#release(lease);
  }

  async #acquire(taskId: string, { waitMs, overLost = false }: WriteOptions): Promise<Lease> {
    const deadline = Date.now() + waitMs;
    const watch = new LogWatch(this.queue, taskId);
    try {
      for (;;) {
        const head = await this.queue.head(taskId);
        if (head ? head.closed : !(await this.lost.restore(taskId))) throw await this.#ended(taskId);
        if (!head) continue;
        const isFree = !head.holder && (overLost || head.runState !== 'running');
        const lease = isFree ? await this.queue.acquire(taskId, this.#request) : undefined;
        if (lease) return lease;
        if (Date.now() >= deadline)
          throw new Error(`Task ${taskId} is being worked on; its lease did not come free`);
        await watch.next(deadline - Date.now());
      }
    } finally {
      watch.dispose();
    }
  }

  get #request(): LeaseRequest {
    return { holder: this.#holder, ttlMs: this.options.execution.leaseTtlMs, keepState: true };
  }

  /** Of a task that has just ended the log may know more than the store. */
  async #ended(taskId: string): Promise<Error> {
    return (await this.reader.get(taskId)) ? new TaskEndedError(taskId) : new TaskNotFoundError();
  }

  /** Whatever came in meanwhile waits for a run, unless the task is detached. */
  async #release(lease: Lease): Promise<void> {
    const before = lease.found === 'running' ? 'queued' : lease.found;
    await this.queue.release(lease, before, Infinity);
    const head = await this.queue.head(lease.taskId);
    if (!head || head.closed || before === 'detached') return;
    if (before === 'queued' || head.sequence > head.taken) await this.runner.poke(lease.taskId);
  }
}

export interface WriteOptions {
  readonly waitMs: number;
  /** Write also where a run was lost, which nobody has settled yet. */
  readonly overLost?: boolean;
}

class NotSaved extends Error {}
