import { DataSource } from 'typeorm';
import { A2ATypeOrmBootError } from '../boot-error.js';
import type { SqliteOptions } from '../typeorm-options.js';
import { retry } from './retry.js';
import { SQLITE } from './sqlite.js';

/**
 * How long SQLite itself waits for a lock, in ms. It blocks the process meanwhile, so that the application's own transaction, which may hold
 * the lock, could never end: the waiting is done by `retry()`.
 */
const LOCK_TIMEOUT_MS = 5;

/** Options of a connection that the adapter's own must share with the application's. */
interface HostOptions {
  readonly database?: unknown;
  readonly key?: string;
  readonly driver?: unknown;
  readonly nativeBinding?: string;
}

/**
 * Opens another connection to the application's SQLite file. TypeORM has one per DataSource, which all share: a rollback of the application would
 * undo what the adapter wrote meanwhile.
 */
export async function openSqlite(
  host: DataSource | undefined,
  { file, synchronous = 'normal' }: SqliteOptions,
  retryMs: number,
): Promise<DataSource> {
  const { database: hostFile, key, driver, nativeBinding } = (host?.options ?? {}) as HostOptions;
  const shared = file === undefined ? { key, driver, nativeBinding } : {};
  const database = fileOf(file ?? hostFile);
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database,
    timeout: LOCK_TIMEOUT_MS,
    ...shared,
  });
  await dataSource.initialize();
  try {
    // The write-ahead log lets others read while one writes. The file keeps this mode.
    await retry(() => dataSource.query('PRAGMA journal_mode = WAL'), {
      mayPass: SQLITE.isTransient,
      forMs: retryMs,
      pauseMs: SQLITE.pauseMs,
    });
    await dataSource.query(`PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return dataSource;
}

function fileOf(database: unknown): string {
  if (typeof database === 'string' && database !== '' && !database.includes(':memory:')) return database;
  throw new A2ATypeOrmBootError(
    'A2ATypeOrmModule opens a connection of its own to the SQLite file, and a database in memory has none. ' +
      "Give the DataSource a file, or the module one of its own: A2ATypeOrmModule.forRoot({ sqlite: { file: 'a2a.db' } }).",
  );
}
