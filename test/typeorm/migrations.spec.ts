import { expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import type { Delivery } from '../../lib/interfaces/push-delivery.js';
import { a2aMigrations } from '../../lib/typeorm/migrations/a2a-migrations.js';
import { TABLES } from '../../lib/typeorm/tables.js';
import { openDatabase } from '../../lib/typeorm/open-database.js';
import { resolveTypeOrmOptions } from '../../lib/typeorm/typeorm-options.js';
import { TypeOrmPushNotificationConfigStore } from '../../lib/typeorm/typeorm-push-notification-config-store.js';
import { TypeOrmTaskStore } from '../../lib/typeorm/typeorm-task-store.js';
import { at, unique } from '../contracts/samples.js';
import { createDatabase, type DatabaseKind, type TestDatabase } from './databases.js';
import { onEachKind } from './on-each-database.js';

const NAMES = TABLES.map(({ name }) => name);

onEachKind('The migrations', (kind) => {
  it('of an application make all tables, again after they were undone, and leave nothing', async () => {
    await using place = await emptyDatabase(kind);
    const source = await place.connect({ migrations: a2aMigrations() });
    const before = await tablesOf(source);
    for (let round = 0; round < 2; round++) {
      const done = await source.runMigrations();
      expect(done).toHaveLength(a2aMigrations().length);
      expect(await tablesOf(source)).toEqual(expect.arrayContaining(NAMES.map((name) => `a2a_${name}`)));
      expect(await source.runMigrations()).toEqual([]);
      for (const _ of done) await source.undoLastMigration();
      const left = (await tablesOf(source)).filter((name) => !before.includes(name));
      expect(left.filter((name) => name.startsWith('a2a_'))).toEqual([]);
    }
  });

  it('make tables that the adapter takes, two sets of them in one database', async () => {
    await using place = await emptyDatabase(kind);
    const migrations = [...a2aMigrations(), ...a2aMigrations({ tablePrefix: 'other_' })];
    const source = await place.connect({ migrations });
    await source.runMigrations();
    const id = unique('task');
    const record = { agent: '', tenant: '', owner: '', task: taskOf(id), sequence: 1, fence: 1 };
    for (const tablePrefix of ['a2a_', 'other_']) {
      const database = await openDatabase(source, resolveTypeOrmOptions({}, { tablePrefix }));
      const store = new TypeOrmTaskStore(database);
      expect(await store.get(id)).toBeUndefined();
      await store.save(record);
      expect(await store.get(id)).toEqual(record);
      await database.close();
    }
  });

  it('are run on boot by one of ten processes', async () => {
    await using place = await emptyDatabase(kind);
    const databases = await Promise.all(Array.from({ length: 10 }, () => place.open()));
    const store = new TypeOrmTaskStore(databases[9]!);
    expect(await store.get(unique('task'))).toBeUndefined();
    const done = await databases[0]!.rows<{ name: string }>('SELECT name FROM a2a_migrations ORDER BY name');
    expect(done.map(({ name }) => name)).toEqual(
      a2aMigrations()
        .map((Migration) => new Migration().name)
        .toSorted(),
    );
  });

  it('of the application can go on where the module has begun', async () => {
    await using place = await emptyDatabase(kind);
    await place.open();
    const source = await place.connect({ migrations: a2aMigrations() });
    expect(await source.runMigrations()).toHaveLength(a2aMigrations().length);
  });

  it('tell the webhooks of live tasks what they were promised, and leave those of ended ones in peace', async () => {
    await using place = await emptyDatabase(kind);
    const before = await place.connect({ migrations: a2aMigrations().slice(0, 3) });
    await before.runMigrations();
    for (const [id, finished] of [
      ['live', 0],
      ['ended', 1],
    ] as const)
      await before.query(
        `INSERT INTO a2a_tasks (id, context_id, kind, status, agent, tenant, scope_key, context_key, status_state, status_timestamp, finished, sequence, fence)
         VALUES ('${id}', '', 'task', '{}', '', '', '', '', '', '', ${finished}, 1, 1)`,
      );
    for (const id of ['live', 'ended', 'unknown'])
      await before.query(
        `INSERT INTO a2a_push_notification_configs (task_id, config_id, config_data, position)
         VALUES ('${id}', 'hook', '{"taskId":"${id}","id":"hook","url":"https://example.com"}', 1)`,
      );
    const source = await place.connect({ migrations: a2aMigrations() });
    expect(await source.runMigrations()).toHaveLength(a2aMigrations().length - 3);
    const database = await place.open();
    const store = new TypeOrmPushNotificationConfigStore(database);
    const deliveries = await store.claim({ holder: 'sender', ttlMs: 60_000, limit: 10 });
    expect(deliveries.map(({ config }) => config.taskId).toSorted()).toEqual(['live', 'unknown']);
    for (const delivery of deliveries) expect(delivery).toMatchObject({ failures: 0, status: 'open' });
    expect(deliveries.map(({ cursor }) => cursor)).toEqual([undefined, undefined]);
    expect(await store.list('ended')).toHaveLength(1);
  });

  it('leave it open where webhooks from before lead, until they are replaced', async () => {
    await using place = await emptyDatabase(kind);
    const before = await place.connect({ migrations: a2aMigrations().slice(0, 4) });
    await before.runMigrations();
    const configs = ['kept', 'replaced'].map((id) => ({ taskId: 'task', id, url: 'https://example.com' }));
    for (const [i, config] of configs.entries())
      await before.query(
        `INSERT INTO a2a_push_notification_configs (task_id, config_id, config_data, position)
         VALUES ('task', '${config.id}', '${JSON.stringify(config)}', ${i + 1})`,
      );
    const store = new TypeOrmPushNotificationConfigStore(await place.open());
    await store.set(configs[1]!);
    const claim = { holder: 'sender', ttlMs: 60_000, limit: 10 };
    const namesOf = (deliveries: readonly Delivery[]) => deliveries.map(({ config }) => config.id);
    const full = new Set(['https://example.com']);
    expect(namesOf(await store.claim({ ...claim, exceptTo: full }))).toEqual(['kept']);
    expect(namesOf(await store.claim(claim))).toEqual(['replaced']);
  });

  it('are asked for where tables or columns are missing', async () => {
    await using place = await emptyDatabase(kind);
    const source = await place.connect();
    const options = resolveTypeOrmOptions({}, { tablePrefix: 'my_' });
    const missing = openDatabase(source, options);
    await expect(missing).rejects.toThrow(
      /my_tasks.*a2aMigrations\(\{ tablePrefix: 'my_' \}\).*runMigrations/s,
    );
    await (await place.open({ tablePrefix: 'my_' })).run('ALTER TABLE my_tasks DROP COLUMN members');
    await expect(openDatabase(source, options)).rejects.toThrow(/out of date: my_tasks\./);
  });
});

function taskOf(id: string) {
  return { id, status: { state: 'TASK_STATE_WORKING', timestamp: at(0) } } as const;
}

async function emptyDatabase(kind: DatabaseKind): Promise<TestDatabase & AsyncDisposable> {
  const place = await createDatabase(kind);
  return Object.assign(place, { [Symbol.asyncDispose]: () => place.drop() });
}

async function tablesOf(source: DataSource): Promise<string[]> {
  const sql =
    source.options.type === 'better-sqlite3'
      ? `SELECT name FROM sqlite_master WHERE type = 'table'`
      : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema IN (${
          source.options.type === 'postgres' ? `'public'` : 'DATABASE()'
        })`;
  return ((await source.query(sql)) as { name: string }[]).map(({ name }) => name);
}
