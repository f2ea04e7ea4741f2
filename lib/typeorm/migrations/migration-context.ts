import type { DataSource } from 'typeorm';
import type { Dialect } from '../database/dialect.js';
import { dialectOf } from '../database/dialect-of.js';
import { tableName } from '../database/table-name.js';
import { columnTypes, type MigrationContext } from './migration.js';

/** What migrations need to know about the database that they run on; `query` asks it. */
export async function migrationContext(
  dataSource: DataSource,
  tablePrefix: string,
  query: (sql: string) => Promise<unknown>,
): Promise<MigrationContext> {
  const dialect = dialectOf(dataSource);
  return {
    dialect: dialect.name,
    types: columnTypes(dialect.name),
    tableOptions: dialect.name === 'mysql' ? await mysqlTableOptions(query) : '',
    table: (name) => tableName(dataSource, dialect, tablePrefix + name),
    index: (name) => indexName(dialect, tablePrefix + name),
    columnsOf: (name) => columnsOf(dialect, tableName(dataSource, dialect, tablePrefix + name), query),
  };
}

function indexName(dialect: Dialect, prefixed: string): string {
  return dialect.quote(`idx_${prefixed}`);
}

async function columnsOf(
  { name }: Dialect,
  table: string,
  query: (sql: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const sql = {
    postgres: `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass('${table.replaceAll("'", "''")}') AND NOT attisdropped`,
    mysql: `SHOW COLUMNS FROM ${table}`,
    sqlite: `PRAGMA table_info(${table})`,
  }[name];
  const rows = (await query(sql)) as { readonly name?: string; readonly Field?: string }[];
  return rows.map((row) => row.name ?? row.Field!);
}

/** The collation that compares all characters as they are. utf8mb4_bin, which both have, takes `a` and `a ` for the same. */
async function mysqlTableOptions(query: (sql: string) => Promise<unknown>): Promise<string> {
  const [{ version }] = (await query('SELECT VERSION() AS version')) as [{ version: string }];
  const collation = /mariadb/i.test(version) ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return ` ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE ${collation}`;
}
