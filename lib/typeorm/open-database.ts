import type { DataSource } from 'typeorm';
import { A2ATypeOrmBootError } from './boot-error.js';
import { checkTables } from './check-tables.js';
import { Database } from './database/database.js';
import { dialectOf } from './database/dialect-of.js';
import { POSTGRES } from './database/postgres.js';
import { survivePoolErrors } from './database/postgres-pool.js';
import { SQLITE } from './database/sqlite.js';
import { openSqlite } from './database/sqlite-data-source.js';
import { checkTablePrefix } from './database/table-name.js';
import { runMigrations } from './migrations/run-migrations.js';
import type { ResolvedTypeOrmOptions } from './typeorm-options.js';

/**
 * The database that the options ask for, ready and with all tables. Throws A2ATypeOrmBootError when it cannot be used.
 * @param host The application's DataSource, connected.
 */
export async function openDatabase(
  host: DataSource | undefined,
  options: ResolvedTypeOrmOptions,
): Promise<Database> {
  checkTablePrefix(options.tablePrefix);
  const database = await connect(host, options);
  try {
    if (options.runMigrations) await runMigrations(database);
    await checkTables(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function connect(
  host: DataSource | undefined,
  { tablePrefix, retryMs, sqlite }: ResolvedTypeOrmOptions,
): Promise<Database> {
  if (sqlite.file === undefined && !host) {
    throw new A2ATypeOrmBootError(
      'A2ATypeOrmModule found no DataSource. Import TypeOrmModule.forRoot({ ... }) beside it, name it with ' +
        "A2ATypeOrmModule.forRoot({ dataSource: 'its name' }), or use a SQLite file: forRoot({ sqlite: { file: 'a2a.db' } }).",
    );
  }
  const dialect = sqlite.file === undefined && host ? dialectOf(host) : SQLITE;
  const owned = dialect === SQLITE;
  const dataSource = owned ? await openSqlite(host, sqlite, retryMs) : host!;
  if (dialect === POSTGRES) survivePoolErrors(dataSource);
  return new Database(dataSource, dialect, { tablePrefix, retryMs, owned });
}
