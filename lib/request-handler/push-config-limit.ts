import { Inject, Injectable } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { StoredPushNotificationConfig } from '../interfaces/push-delivery.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { InvalidParamsError } from '../protocol/errors.js';

/**
 * Keeps webhooks, but not more of a task than the options allow. In this process those of one task take turns, so that none slips by between counting and
 * keeping; several processes may each let one more in at the same moment.
 */
@Injectable()
export class PushConfigLimit {
  readonly #most: number;
  /** The last turn of each task. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(
    private readonly store: PushNotificationConfigStore,
    @Inject(A2A_OPTIONS) { limits }: ResolvedOptions,
  ) {
    this.#most = limits.pushConfigs;
  }

  /** As the store does; one that replaces another always fits. Throws InvalidParamsError: to try again would not help. */
  async set(config: StoredPushNotificationConfig, after?: number): Promise<void> {
    const set = (): Promise<void> => this.#set(config, after);
    const turn = (this.#turns.get(config.taskId) ?? Promise.resolve()).then(set, set);
    this.#turns.set(config.taskId, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(config.taskId) === turn) this.#turns.delete(config.taskId);
    }
  }

  async #set(config: StoredPushNotificationConfig, after: number | undefined): Promise<void> {
    const { taskId, id } = config;
    if (this.#most > 0) {
      const configs = await this.store.list(taskId);
      if (configs.length >= this.#most && !configs.some((kept) => kept.id === id))
        throw tooMany(taskId, this.#most);
    }
    await this.store.set(config, after);
  }
}

function tooMany(taskId: string, most: number): InvalidParamsError {
  const description = `has ${most} push notification configs, which is the most: delete one of them, or replace one by giving its id`;
  return new InvalidParamsError([{ field: 'taskId', description }], `Task ${taskId} ${description}`, {
    metadata: { taskId, limit: String(most) },
  });
}
