import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { TaskStore } from '../interfaces/task-store.js';
import { before } from './before.js';
import { LeasedWrites } from './leased-writes.js';
import { statusUpdate } from './status-update.js';

const BATCH = 100;

/** Gives up live tasks that nobody has moved for too long: they become FAILED, with the reason `expired`. */
@Injectable()
export class Expiry implements OnModuleInit, BeforeApplicationShutdown {
  readonly #logger = new Logger('A2A');
  readonly #options: ResolvedOptions['retention'];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: TaskStore,
    private readonly writes: LeasedWrites,
    @Inject(A2A_OPTIONS) { retention }: ResolvedOptions,
  ) {
    this.#options = retention;
  }

  onModuleInit(): void {
    const look = (): void => {
      this.expire().catch((error: unknown) =>
        this.#logger.warn(`Stale tasks were not ended: ${String(error)}`),
      );
    };
    this.#timer = setInterval(look, this.#options.intervalMs);
    this.#timer.unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** Ends the tasks whose status is older than `maxAgeMs`; one that a run holds is left alone. */
  async expire(now = Date.now()): Promise<void> {
    const stale = new Date(before(now, this.#options.maxAgeMs)).toISOString();
    for (const { id } of await this.store.staleSince(stale, BATCH)) {
      const text = 'expired: nothing happened for too long';
      const write = this.writes.write(
        id,
        (task) => statusUpdate(task, 'TASK_STATE_FAILED', text, { reason: 'expired' }),
        { waitMs: 0, overLost: true },
      );
      // It has ended meanwhile, or a run holds it: both are fine.
      await write.catch(() => {});
    }
  }
}
