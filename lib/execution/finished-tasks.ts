import { Injectable } from '@nestjs/common';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { QueueManager, type LogPruneOptions } from '../interfaces/queue-manager.js';
import type { Spare } from '../interfaces/spare.js';
import { TaskStore, type PruneOptions, type TaskCursor } from '../interfaces/task-store.js';

/** Tasks that are looked at in one step, so that no statement is large and none holds its locks for long. */
const BATCH = 200;
/** The same in memory, where there are no statements, and a page costs a walk to its place. */
const MEMORY_BATCH = 5_000;

/**
 * Deletes finished tasks with all that belongs to them. Any number of processes may do so at the same time.
 *
 * What a webhook has yet to be told stays, with its task: also beyond the caps of the retention. A sender gives a webhook up whose receiver does
 * not answer, so these are at most the tasks that ended within the time that it tries for, and in memory they are what bounds it: where
 * receivers may be down for long and tasks are many, let the sender give up sooner, or take a store that is not in memory. Where nothing
 * sends, on no process, tasks with webhooks are kept until their configs are deleted.
 */
@Injectable()
export class FinishedTasks {
  readonly #batch: number;
  /** Tasks of which a webhook has something yet to be told. */
  readonly #spare: Spare = (taskIds) => this.configs.openAmong(taskIds);

  constructor(
    private readonly store: TaskStore,
    private readonly queue: QueueManager,
    private readonly configs: PushNotificationConfigStore,
  ) {
    this.#batch = store.volatile ? MEMORY_BATCH : BATCH;
  }

  /** Answers how many were deleted, and how many only stay for their webhooks. */
  async prune(
    which: Pick<PruneOptions, 'finishedBefore' | 'keepFinished'>,
  ): Promise<{ readonly deleted: number; readonly spared: number }> {
    let deleted = 0;
    let spared = 0;
    let after: TaskCursor | undefined;
    const spare: Spare = async (taskIds) => {
      const stay = await this.#spare(taskIds);
      spared += stay.length;
      return stay;
    };
    do {
      const { ids, next } = await this.store.prune({ ...which, limit: this.#batch, after, spare });
      if (ids.length > 0) {
        await this.queue.remove(...ids);
        await this.configs.deleteAll(...ids);
      }
      deleted += ids.length;
      after = next;
    } while (after);
    return { deleted, spared };
  }

  /** Deletes logs alone: their tasks may be kept for longer, or never came to be, as when a Message was the answer. */
  async pruneLogs(which: Pick<LogPruneOptions, 'closedBefore' | 'keepClosed'>): Promise<void> {
    await this.queue.prune({ ...which, spare: this.#spare });
  }
}
