import { afterAll, beforeAll, describe } from 'vitest';
import { TypeOrmTaskStore } from '../../lib/typeorm/typeorm-task-store.js';
import type { Database } from '../../lib/typeorm/database/database.js';
import { describeTaskStore } from '../contracts/describe-task-store.js';
import { withFaults } from '../contracts/with-faults.js';
import { describeWithServer } from '../support/servers.js';
import { createDatabase, type DatabaseKind, type TestDatabase } from './databases.js';

describe('TypeOrmTaskStore on SQLite', () => describeStore('sqlite'));
describeWithServer('TypeOrmTaskStore on PostgreSQL', 'postgres', () => describeStore('postgres'));
describeWithServer('TypeOrmTaskStore on MariaDB', 'mariadb', () => describeStore('mariadb'));

function describeStore(kind: DatabaseKind): void {
  let place: TestDatabase;
  let database: Database;
  let other: Database;

  beforeAll(async () => {
    place = await createDatabase(kind);
    database = await place.open();
    other = await place.open();
  });
  afterAll(() => place?.drop());

  const empty = async (): Promise<void> => {
    await database.run(`DELETE FROM ${database.table('tasks')}`);
  };

  describeTaskStore(kind, async () => {
    await empty();
    return { store: new TypeOrmTaskStore(database), other: new TypeOrmTaskStore(other) };
  });

  describeTaskStore(`${kind} over a bad line`, async () => {
    await empty();
    const line = { latency: () => Math.random() * 4 };
    return {
      store: withFaults(new TypeOrmTaskStore(database), line),
      other: withFaults(new TypeOrmTaskStore(other), line),
    };
  });
}
