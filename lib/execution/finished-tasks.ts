import { Injectable } from '@nestjs/common';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { QueueManager } from '../interfaces/queue-manager.js';
import { TaskStore, type PruneOptions } from '../interfaces/task-store.js';

/** Tasks that are deleted at a time, so that no statement is large and none holds its locks for long. */
const BATCH = 500;

/** Deletes finished tasks with all that belongs to them. Any number of processes may do so at the same time. */
@Injectable()
export class FinishedTasks {
  constructor(
    private readonly store: TaskStore,
    private readonly queue: QueueManager,
    private readonly configs: PushNotificationConfigStore,
  ) {}

  /** Answers how many were deleted. */
  async prune(which: Omit<PruneOptions, 'limit'>): Promise<number> {
    for (let count = 0; ;) {
      const ids = await this.store.prune({ ...which, limit: BATCH });
      if (ids.length > 0) await this.queue.remove(...ids);
      for (const id of ids) await this.configs.deleteAll(id);
      count += ids.length;
      if (ids.length < BATCH) return count;
    }
  }
}
