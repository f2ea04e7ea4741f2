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
  onEachKind(what, (kind) => {
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
  });
}

/** The same suite for each kind of database. */
export function onEachKind(what: string, body: (kind: DatabaseKind) => void): void {
  describe(`${what} on SQLite`, () => body('sqlite'));
  describeWithServer(`${what} on PostgreSQL`, 'postgres', () => body('postgres'));
  describeWithServer(`${what} on MariaDB`, 'mariadb', () => body('mariadb'));
}
