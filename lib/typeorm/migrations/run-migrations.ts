import type { Database, SqlRunner } from '../database/database.js';
import { digestOf } from '../database/text.js';
import { migrationName } from './a2a-migrations.js';
import { migrationContext } from './migration-context.js';
import { TABLES_MIGRATIONS } from './tables-migrations.js';

/** How long to wait for another process that runs the migrations, in seconds. */
const PATIENCE = 60;

/**
 * Runs the migrations that were not run yet, one process at a time, and notes them in a table of the adapter's own. MySQL commits at each
 * CREATE TABLE; as the statements pass over what is there already, a process that died half-way does no harm.
 */
export async function runMigrations(database: Database): Promise<void> {
  await database.transaction((runner) => locked(database, runner, () => migrate(database, runner)));
}

async function migrate(database: Database, runner: SqlRunner): Promise<void> {
  const { dataSource, tablePrefix } = database;
  const context = await migrationContext(dataSource, tablePrefix, (sql) => runner.rows(sql));
  const done = context.table('migrations');
  await runner.run(
    `CREATE TABLE IF NOT EXISTS ${done} (name ${context.types.key} NOT NULL PRIMARY KEY)${context.tableOptions}`,
  );
  const names = new Set(
    (await runner.rows<{ name: string }>(`SELECT name FROM ${done}`)).map(({ name }) => name),
  );
  for (const migration of TABLES_MIGRATIONS) {
    const name = migrationName(migration, tablePrefix);
    if (names.has(name)) continue;
    for (const statement of await migration.up(context)) await runner.run(statement);
    await runner.run(`INSERT INTO ${done} (name) VALUES (?)`, [name]);
  }
}

/** On SQLite the transaction itself is the lock. */
async function locked(database: Database, runner: SqlRunner, work: () => Promise<void>): Promise<void> {
  const digest = digestOf('nest-a2a migrations', database.tablePrefix);
  switch (database.dialect.name) {
    case 'postgres': {
      const key = Buffer.from(digest, 'base64url').readInt32BE();
      await runner.rows('SELECT pg_advisory_xact_lock(?)', [key]);
      return work();
    }
    case 'mysql': {
      const [row] = await runner.rows<{ got: unknown }>('SELECT GET_LOCK(?, ?) AS got', [digest, PATIENCE]);
      if (Number(row?.got) !== 1)
        throw new Error(`Another process runs the migrations for over ${PATIENCE} s`);
      try {
        return await work();
      } finally {
        await runner.rows('SELECT RELEASE_LOCK(?)', [digest]);
      }
    }
    case 'sqlite':
      return work();
  }
}
