import type { Database } from '../database/database.js';
import { LogPoller } from './log-poller.js';
import { LogTables } from './log-tables.js';
import { LogWatchers } from './log-watchers.js';
import { PostgresListener } from './postgres-listener.js';
import { PostgresLogTables, readNotification } from './postgres-log-tables.js';

/** How the readers of this process learn of changes: from its own writes at once, from those of others by notification or by polling. */
export class LogWakeUps {
  readonly #watchers = new LogWatchers();
  readonly #poller: LogPoller;
  readonly #listener: PostgresListener | undefined;

  constructor(database: Database, tables: LogTables, pollMs: number) {
    this.#poller = new LogPoller(this.#watchers, (taskIds) => tables.marks(taskIds), pollMs);
    if (tables instanceof PostgresLogTables) this.#listener = this.#listen(database, tables.channel);
  }

  watch(taskId: string, listener: (sequence?: number) => void): () => void {
    const unwatch = this.#watchers.watch(taskId, listener);
    this.#listener?.start();
    this.#poller.hurry();
    return unwatch;
  }

  /** This process has changed a log. */
  tell(taskId: string, sequence?: number): void {
    this.#watchers.tell(taskId, sequence);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#poller.stop(), this.#listener?.stop()]);
  }

  #listen({ dataSource }: Database, channel: string): PostgresListener {
    return new PostgresListener(dataSource, channel, {
      listening: () => {
        this.#poller.notified = true;
        this.#watchers.tellAll();
      },
      deaf: () => {
        this.#poller.notified = false;
      },
      notified: (payload) => {
        const { taskId, sequence } = readNotification(payload);
        this.#watchers.tell(taskId, sequence);
      },
    });
  }
}
