import { afterAll, beforeAll, describe } from 'vitest';
import type { Database } from '../../lib/typeorm/database/database.js';
import { describeWithServer } from '../support/servers.js';
import { createDatabase, type DatabaseKind, type TestDatabase } from './databases.js';

/** A database with its tables, and two ways to it that share no connection. */
export interface Databases {
  readonly kind: DatabaseKind;
  place(): TestDatabase;
  database(): Database;
  other(): Database;
}

/** The same suite on each kind of database. They exist from beforeAll to afterAll. */
export function onEachDatabase(what: string, body: (databases: Databases) => void): void {
  const suite = (kind: DatabaseKind) => (): void => {
    let place: TestDatabase;
    let database: Database;
    let other: Database;
    beforeAll(async () => {
      place = await createDatabase(kind);
      database = await place.open();
      other = await place.open();
    });
    afterAll(() => place?.drop());
    body({ kind, place: () => place, database: () => database, other: () => other });
  };
  describe(`${what} on SQLite`, suite('sqlite'));
  describeWithServer(`${what} on PostgreSQL`, 'postgres', suite('postgres'));
  describeWithServer(`${what} on MariaDB`, 'mariadb', suite('mariadb'));
}
