import type { DataSource } from 'typeorm';
import { A2ATypeOrmBootError } from '../boot-error.js';
import type { Dialect } from './dialect.js';

/** Longest name of an index in PostgreSQL is 63; the adapter's own part of it needs some. */
const PREFIX = /^[A-Za-z0-9_]{0,24}$/;

/** Throws A2ATypeOrmBootError for a prefix that cannot stand before the names of tables and indexes. */
export function checkTablePrefix(prefix: string): void {
  if (PREFIX.test(prefix)) return;
  throw new A2ATypeOrmBootError(
    `The tablePrefix ${JSON.stringify(prefix)} of A2ATypeOrmModule must be at most 24 letters, digits and underscores.`,
  );
}

/** Quoted name of a table: with the prefix and, where the DataSource has one, the schema. */
export function tableName(dataSource: DataSource, dialect: Dialect, prefixed: string): string {
  const { schema } = dataSource.options as { schema?: string };
  const quoted = dialect.quote(prefixed);
  return schema === undefined ? quoted : `${dialect.quote(schema)}.${quoted}`;
}
