import type { DataSource } from 'typeorm';

const TABLES: Readonly<Record<string, string>> = {
  'better-sqlite3': `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
  postgres: `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  mariadb: `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()`,
};

/** Every value of every table of a database, in a form in which text is found however it is stored. */
export async function everyValue(source: DataSource): Promise<string> {
  const names = (await source.query(TABLES[source.options.type]!)) as { name: string }[];
  const values: string[] = [];
  for (const { name } of names) {
    const rows = (await source.query(`SELECT * FROM ${source.driver.escape(name)}`)) as object[];
    for (const value of rows.flatMap((row) => Object.values(row) as unknown[])) {
      if (Buffer.isBuffer(value)) values.push(value.toString());
      else values.push(typeof value === 'string' ? value : JSON.stringify(value));
    }
  }
  return values.join('\n');
}
