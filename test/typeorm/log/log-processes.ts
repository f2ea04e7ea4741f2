import { vi } from 'vitest';
import type { Database } from '../../../lib/typeorm/database/database.js';
import { TypeOrmQueueManager } from '../../../lib/typeorm/log/typeorm-queue-manager.js';
import { openDatabase } from '../../../lib/typeorm/open-database.js';
import { resolveTypeOrmOptions } from '../../../lib/typeorm/typeorm-options.js';
import { createDatabase, type DatabaseKind, type TestDatabase } from '../databases.js';

export interface ProcessOptions {
  readonly pollMs?: number;
  /** Options of its DataSource. */
  readonly source?: object;
}

/** The logs as one process has them. */
export interface LogProcess {
  readonly queue: TypeOrmQueueManager;
  readonly database: Database;
}

/** Processes that share a database, each with connections of its own. */
export interface LogProcesses {
  readonly place: TestDatabase;
  start(options?: ProcessOptions): Promise<LogProcess>;
  stop(): Promise<void>;
}

export async function logProcesses(kind: DatabaseKind): Promise<LogProcesses> {
  const place = await createDatabase(kind);
  const processes: LogProcess[] = [];
  return {
    place,
    async start({ pollMs = 10, source } = {}) {
      const options = resolveTypeOrmOptions({ runMigrations: true }, {});
      const database = await openDatabase(await place.connect(source), options);
      const queue = new TypeOrmQueueManager(database, { pollMs });
      processes.push({ queue, database });
      return { queue, database };
    },
    async stop() {
      for (const { queue } of processes) await queue.onApplicationShutdown();
      for (const { database } of processes) await database.close();
      await place.drop();
    },
  };
}

/** What a process sends to its database from now on, and how many statements it waits for at most at one time. */
export function recordStatements({ database: { dataSource } }: Pick<LogProcess, 'database'>): {
  readonly statements: readonly string[];
  readonly most: number;
} {
  const record = { statements: [] as string[], most: 0 };
  let waiting = 0;
  // SQLite has one for all.
  const recorded = new WeakSet<object>();
  const createQueryRunner = dataSource.createQueryRunner.bind(dataSource);
  vi.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
    const runner = createQueryRunner(mode);
    if (recorded.has(runner)) return runner;
    recorded.add(runner);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    runner.query = async (...args: unknown[]): Promise<never> => {
      record.statements.push(String(args[0]));
      record.most = Math.max(record.most, ++waiting);
      try {
        return (await query(...args)) as never;
      } finally {
        waiting -= 1;
      }
    };
    return runner;
  });
  return record;
}
