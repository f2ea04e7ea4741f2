import { A2ATypeOrmBootError } from './boot-error.js';
import type { Database } from './database/database.js';
import { TABLES, type TableDefinition } from './tables.js';

/** Throws A2ATypeOrmBootError when tables or columns are missing. */
export async function checkTables(database: Database): Promise<void> {
  const missing: string[] = [];
  for (const table of TABLES)
    if (!(await isThere(database, table))) missing.push(database.tablePrefix + table.name);
  if (missing.length === 0) return;
  const prefix = database.tablePrefix;
  throw new A2ATypeOrmBootError(
    `Tables of A2ATypeOrmModule are missing or out of date: ${missing.join(', ')}. ` +
      `Either add ...a2aMigrations({ tablePrefix: '${prefix}' }) to the migrations of your DataSource and run them, ` +
      `or let the module do it on boot: A2ATypeOrmModule.forRoot({ runMigrations: true }).`,
  );
}

async function isThere(database: Database, { name, columns }: TableDefinition): Promise<boolean> {
  try {
    await database.rows(`SELECT ${columns.join(', ')} FROM ${database.table(name)} WHERE 1 = 0`);
    return true;
  } catch (error) {
    if (database.dialect.isMissing(error)) return false;
    throw error;
  }
}
