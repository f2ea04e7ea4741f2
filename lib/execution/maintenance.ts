import { Injectable } from '@nestjs/common';
import { FinishedTasks } from './finished-tasks.js';

export interface PruneRequest {
  /** Tasks that finished before this moment, or longer ago than so many ms. */
  readonly olderThan: Date | number;
}

export interface PruneResult {
  /** Tasks that were deleted, with their logs and webhooks. */
  readonly tasks: number;
}

/**
 * Housekeeping on demand, for a job or a command of the application; `retention` in the module's options does the same from time to time.
 *
 * @publicApi
 * @example
 * await this.maintenance.prune({ olderThan: 30 * 24 * 60 * 60 * 1_000 });
 */
@Injectable()
export class A2AMaintenance {
  constructor(private readonly finished: FinishedTasks) {}

  /**
   * Deletes finished tasks, their logs and webhooks, in batches; live tasks never, and none that a webhook has yet to be told of. Safe while other
   * processes do the same.
   * Throws a RangeError when `olderThan` is no time.
   */
  async prune({ olderThan }: PruneRequest): Promise<PruneResult> {
    const before = typeof olderThan === 'number' ? Date.now() - olderThan : olderThan.getTime();
    const { deleted: tasks } = await this.finished.prune({
      finishedBefore: new Date(before).toISOString(),
    });
    await this.finished.pruneLogs({ closedBefore: before });
    return { tasks };
  }
}
