import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DEFAULT_TABLE_PREFIX } from '../typeorm-options.js';
import { migrationContext } from './migration-context.js';
import type { MigrationContext, TablesMigration } from './migration.js';
import { TABLES_MIGRATIONS } from './tables-migrations.js';

/**
 * The migrations that make the tables of `A2ATypeOrmModule`, for the `migrations` of the application's DataSource. They run on PostgreSQL,
 * MySQL, MariaDB and SQLite.
 *
 * @publicApi
 * @example
 * new DataSource({ type: 'postgres', url, migrations: [...a2aMigrations(), ...myMigrations] });
 */
export function a2aMigrations({
  tablePrefix = DEFAULT_TABLE_PREFIX,
}: { readonly tablePrefix?: string } = {}): (new () => MigrationInterface)[] {
  return TABLES_MIGRATIONS.map((migration) => migrationClass(migration, tablePrefix));
}

/** Name under which a migration is noted as done. TypeORM reads the timestamp from its end. */
export function migrationName({ name, timestamp }: TablesMigration, tablePrefix: string): string {
  return `${tablePrefix}${name}${timestamp}`;
}

function migrationClass(migration: TablesMigration, tablePrefix: string): new () => MigrationInterface {
  return class implements MigrationInterface {
    readonly name = migrationName(migration, tablePrefix);

    async up(runner: QueryRunner): Promise<void> {
      await runAll(runner, await migration.up(await contextOf(runner, tablePrefix)));
    }

    async down(runner: QueryRunner): Promise<void> {
      await runAll(runner, migration.down(await contextOf(runner, tablePrefix)));
    }
  };
}

function contextOf(runner: QueryRunner, tablePrefix: string): Promise<MigrationContext> {
  return migrationContext(runner.dataSource, tablePrefix, (sql) => runner.query(sql));
}

async function runAll(runner: QueryRunner, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await runner.query(statement);
}
