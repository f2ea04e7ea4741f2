import type { DataSource } from 'typeorm';
import { A2ATypeOrmBootError } from '../boot-error.js';
import type { Dialect } from './dialect.js';
import { MYSQL } from './mysql.js';
import { POSTGRES } from './postgres.js';
import { SQLITE } from './sqlite.js';

const DIALECTS: Readonly<Partial<Record<string, Dialect>>> = {
  postgres: POSTGRES,
  mysql: MYSQL,
  mariadb: MYSQL,
  'better-sqlite3': SQLITE,
};

/** Throws A2ATypeOrmBootError for a database that the adapter does not know. */
export function dialectOf({ options: { type } }: DataSource): Dialect {
  const dialect = DIALECTS[type];
  if (dialect) return dialect;
  throw new A2ATypeOrmBootError(
    `A2ATypeOrmModule cannot use a DataSource of type ${type}. ` +
      `Give it one of type ${Object.keys(DIALECTS).join(', ')}: A2ATypeOrmModule.forRoot({ dataSource: 'its name' }), ` +
      `or a SQLite file of its own: forRoot({ sqlite: { file: 'a2a.db' } }).`,
  );
}
