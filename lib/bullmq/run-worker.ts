import { Logger } from '@nestjs/common';
import { WaitingError, Worker, type Job, type Queue } from 'bullmq';
import type { Resumed, Workshop } from '../execution/workshop.js';
import { closeInTime } from './close-in-time.js';
import type { Poke } from './pokes.js';

export interface RunWorkerOptions {
  /** Tasks that are worked on at a time. */
  readonly concurrency: number;
  /** How long the worker may be silent before its jobs go to others, in ms. */
  readonly lockMs: number;
}

/**
 * Takes jobs and works on the tasks that they name, until each waits for somebody or has ended. Where another holds the lease there is
 * nothing to do: the holder reads the log. So a job that comes twice is harmless.
 */
export class RunWorker {
  readonly #worker: Worker<Poke>;

  constructor(
    queue: Queue<Poke>,
    private readonly workshop: Workshop,
    { concurrency, lockMs }: RunWorkerOptions,
  ) {
    const { connection, prefix, telemetry } = queue.opts;
    this.#worker = new Worker<Poke>(queue.name, (job, token) => this.#process(job, token), {
      connection,
      telemetry,
      ...(prefix !== undefined && { prefix }),
      autorun: false,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs / 3,
      // Whether a task may run again is not for BullMQ to say.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    const logger = new Logger('A2A');
    this.#worker.on('error', (error) => logger.warn(`The worker of ${queue.name}: ${error.message}`));
    this.#worker.on('failed', (job, error) =>
      logger.error(`Task ${job?.data.taskId} was not worked on: ${error.message}`),
    );
  }

  /** Begins to take jobs. */
  run(): void {
    // It ends when the worker is closed; what goes wrong meanwhile is told by 'error'.
    this.#worker.run().catch(() => {});
  }

  /** Takes no more jobs; those under way go on. */
  stop(): void {
    // It resolves when they are done, and close() waits for that.
    this.#worker.close().catch(() => {});
  }

  /** To be called when no task is worked on any more. */
  close(): Promise<void> {
    return closeInTime(this.#worker);
  }

  async #process(job: Job<Poke>, token?: string): Promise<void> {
    const resumed = await this.#resume(job.data.taskId);
    if (resumed) return resumed.work;
    if (this.workshop.accepting) return undefined;
    // It came while the process was draining, and is for another.
    await job.moveToWait(token);
    throw new WaitingError();
  }

  async #resume(taskId: string): Promise<Resumed | undefined> {
    return this.workshop.accepting ? this.workshop.resume(taskId) : undefined;
  }
}
