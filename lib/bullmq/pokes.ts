import { setTimeout as delay } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { LogHead } from '../interfaces/queue-manager.js';

/** How long BullMQ's Redis may take to note a job, in ms. */
const PATIENCE_MS = 5_000;

/** What a job holds: whose log to look at. What there is to do stands in the log. */
export interface Poke {
  readonly taskId: string;
}

const JOB = {
  removeOnComplete: true,
  // The log is not forgotten with the job: the sweep finds what waits in it.
  removeOnFail: true,
  attempts: 3,
  backoff: { type: 'exponential', delay: 500 },
};

/** Adds the jobs that make a worker look at a task's log. */
export class Pokes {
  constructor(private readonly queue: Queue<Poke>) {}

  /**
   * Resolves when the job is noted; rejects when that fails or takes too long, and it may be noted all the same.
   * A job for the same record under the same token that is there already is enough: whoever took the lease since has changed the token.
   */
  async add({ taskId, sequence, token }: Pick<LogHead, 'taskId' | 'sequence' | 'token'>): Promise<void> {
    const jobId = `${encodeURIComponent(taskId)}-${sequence}-${token}`;
    const added = this.queue.add('poke', { taskId }, { ...JOB, jobId });
    const patience = new AbortController();
    const late = delay(PATIENCE_MS, 'late', { signal: patience.signal, ref: false }).catch(() => {});
    try {
      if ((await Promise.race([added, late])) === 'late')
        throw new Error(`BullMQ did not answer within ${PATIENCE_MS} ms`);
    } finally {
      patience.abort();
      added.catch(() => {});
    }
  }
}
