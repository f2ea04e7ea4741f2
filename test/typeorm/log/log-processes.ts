import { TypeOrmQueueManager } from '../../../lib/typeorm/log/typeorm-queue-manager.js';
import type { Database } from '../../../lib/typeorm/database/database.js';
import { createDatabase, type DatabaseKind, type TestDatabase } from '../databases.js';

/** The logs as one process has them. */
export interface LogProcess {
  readonly queue: TypeOrmQueueManager;
  readonly database: Database;
}

/** Processes that share a database, each with connections of its own. */
export interface LogProcesses {
  readonly place: TestDatabase;
  start(): Promise<LogProcess>;
  stop(): Promise<void>;
}

export async function logProcesses(kind: DatabaseKind): Promise<LogProcesses> {
  const place = await createDatabase(kind);
  const queues: TypeOrmQueueManager[] = [];
  return {
    place,
    async start() {
      const database = await place.open();
      const queue = new TypeOrmQueueManager(database, { pollMs: 10 });
      queues.push(queue);
      return { queue, database };
    },
    async stop() {
      for (const queue of queues) await queue.onApplicationShutdown();
      await place.drop();
    },
  };
}
