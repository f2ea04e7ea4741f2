import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  A2AModule,
  AgentExecutor,
  PushNotificationConfigStore,
  QueueManager,
  Skill,
  TaskStore,
} from 'nest-a2a';
import {
  A2ATypeOrmModule,
  a2aMigrations,
  TypeOrmPushNotificationConfigStore,
  TypeOrmQueueManager,
  TypeOrmTaskStore,
} from 'nest-a2a/typeorm';
import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { Database } from '../../lib/typeorm/database/database.js';
import { at, unique } from '../contracts/samples.js';
import { serve } from '../docs/serve.js';
import { M } from '../support/message.js';
import { rpc } from '../support/rpc.js';
import { createDatabase, type DatabaseKind, type TestDatabase } from './databases.js';
import { onEachKind } from './on-each-database.js';

@AgentExecutor({
  name: 'Greeter',
  description: 'Greets',
  version: '1.0.0',
  capabilities: { pushNotifications: true },
})
class Greeter {
  @Skill({ id: 'greet', name: 'Greet', description: 'Greets', tags: ['test'] })
  async *greet() {
    yield 'Hello';
  }
}

type Import = NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>[number];

/** The root module of an application with a DataSource and the adapter. */
function rootModule(place: TestDatabase, adapter: Import = A2ATypeOrmModule.forRoot(), more: object = {}) {
  class RootModule {}
  const migrations = { migrations: a2aMigrations(), migrationsRun: true };
  return {
    module: RootModule,
    imports: [
      TypeOrmModule.forRoot({ ...place.options, ...migrations, retryAttempts: 0, ...more }),
      adapter,
      A2AModule.forRoot(),
      A2AModule.forFeature([Greeter]),
    ],
    providers: [Greeter],
  };
}

const boot = async (root: Import) => (await Test.createTestingModule({ imports: [root] }).compile()).init();

async function emptyDatabase(kind: DatabaseKind): Promise<TestDatabase & AsyncDisposable> {
  const place = await createDatabase(kind);
  return Object.assign(place, { [Symbol.asyncDispose]: () => place.drop() });
}

const recordOf = (id: string) => ({
  agent: 'agent',
  tenant: '',
  owner: 'owner',
  task: { id, status: { state: 'TASK_STATE_WORKING', timestamp: at(0) } } as const,
  sequence: 1,
  fence: 1,
});

onEachKind('A2ATypeOrmModule', (kind) => {
  it('gives A2AModule its stores and its log, and leaves no connection open', async () => {
    await using place = await emptyDatabase(kind);
    let database: Database | undefined;
    const task = await (async () => {
      await using served = await serve('fastify', rootModule(place));
      database = served.app.get(Database);
      expect(served.app.get(TaskStore)).toBeInstanceOf(TypeOrmTaskStore);
      expect(served.app.get(QueueManager)).toBeInstanceOf(TypeOrmQueueManager);
      expect(served.app.get(PushNotificationConfigStore)).toBeInstanceOf(TypeOrmPushNotificationConfigStore);
      const { body } = await rpc(served.base, 'SendMessage', M('hi'));
      expect(body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
      const config = { taskId: body.result.task.id, id: 'hook', url: 'https://example.com/hook' };
      await rpc(served.base, 'CreateTaskPushNotificationConfig', config);
      return body.result.task;
    })();
    if (kind === 'sqlite') expect(database!.dataSource.isInitialized).toBe(false);
    else expect(await openConnections(place)).toBe(0);
    // What the next process finds.
    await using served = await serve('express', rootModule(place));
    const { body } = await rpc(served.base, 'GetTask', { id: task.id });
    expect(body.result).toEqual(task);
    const { body: list } = await rpc(served.base, 'ListTasks', {});
    expect(list.result).toMatchObject({ totalSize: 1, tasks: [{ id: task.id }] });
    const { body: configs } = await rpc(served.base, 'ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(configs.result.configs).toMatchObject([{ id: 'hook', url: 'https://example.com/hook' }]);
  });

  it('does not start without its tables, and says how to get them', async () => {
    await using place = await emptyDatabase(kind);
    const starting = boot(rootModule(place, A2ATypeOrmModule.forRoot(), { migrations: [] }));
    await expect(starting).rejects.toThrow(/a2a_tasks, .*a2aMigrations.*runMigrations: true/s);
  });

  it('makes its tables, where it is told to', async () => {
    await using place = await emptyDatabase(kind);
    const adapter = A2ATypeOrmModule.forRoot({ runMigrations: true, tablePrefix: 'my_' });
    const app = await boot(rootModule(place, adapter, { migrations: [] }));
    const id = unique('task');
    await app.get(TaskStore).save(recordOf(id));
    const source = await place.connect();
    expect(await source.query('SELECT id FROM my_tasks')).toEqual([{ id }]);
    await app.close();
  });

  it('takes options from a factory, and a DataSource by its name', async () => {
    await using place = await emptyDatabase(kind);
    const adapter = A2ATypeOrmModule.forRootAsync({
      dataSource: 'second',
      useFactory: async () => ({ runMigrations: true }),
    });
    const app = await boot(rootModule(place, adapter, { name: 'second', migrations: [] }));
    await app.get(TaskStore).save(recordOf(unique('task')));
    await app.close();
  });

  it('lets tests and applications replace what it brings', async () => {
    await using place = await emptyDatabase(kind);
    const memory = new MemoryTaskStore();
    const overridden = await Test.createTestingModule({ imports: [rootModule(place)] })
      .overrideProvider(TaskStore)
      .useValue(memory)
      .compile();
    expect(overridden.get(TaskStore)).toBe(memory);
    await overridden.close();
  });
});

describe('A2ATypeOrmModule beside an application that uses the same SQLite file', () => {
  it('keeps what it wrote when the application rolls back', async () => {
    await using place = await emptyDatabase('sqlite');
    const app = await boot(rootModule(place));
    const host = app.get(DataSource);
    await host.query('CREATE TABLE mine (n integer)');
    const [before, during] = [unique('task'), unique('task')];
    await app.get(TaskStore).save(recordOf(before));
    await host
      .transaction(async (manager) => {
        // A transaction that has not written yet.
        expect(await manager.query('SELECT n FROM mine')).toEqual([]);
        await app.get(TaskStore).save(recordOf(during));
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await app.get(TaskStore).get(before)).toBeDefined();
    expect(await app.get(TaskStore).get(during)).toBeDefined();
    await app.close();
  });

  it('waits for the write lock of the application without blocking the process', async () => {
    await using place = await emptyDatabase('sqlite');
    const app = await boot(rootModule(place));
    const host = app.get(DataSource);
    await host.query('CREATE TABLE mine (n integer)');
    const id = unique('task');
    let saving: Promise<void> | undefined;
    await host.transaction(async (manager) => {
      await manager.query('INSERT INTO mine VALUES (1)');
      saving = app.get(TaskStore).save(recordOf(id));
      // The application goes on, and reads of the adapter do not wait.
      for (let i = 0; i < 5; i++) await new Promise(setImmediate);
      expect(await app.get(TaskStore).get(id)).toBeUndefined();
      await manager.query('INSERT INTO mine VALUES (2)');
    });
    await saving;
    expect(await app.get(TaskStore).get(id)).toBeDefined();
    expect(await host.query('SELECT COUNT(*) AS n FROM mine')).toEqual([{ n: 2 }]);
    await app.close();
  });

  it('takes a file of its own, without any DataSource', async () => {
    await using place = await emptyDatabase('sqlite');
    const file = `${(place.options as { database: string }).database}.own`;
    const adapter = A2ATypeOrmModule.forRoot({ runMigrations: true, sqlite: { file, synchronous: 'full' } });
    const app = await boot({ module: class {}, imports: [adapter, A2AModule.forRoot()] });
    const id = unique('task');
    await app.get(TaskStore).save(recordOf(id));
    expect(await app.get(TaskStore).get(id)).toEqual(recordOf(id));
    const { dataSource } = app.get(Database);
    expect(dataSource.options.database).toBe(file);
    await app.close();
    expect(dataSource.isInitialized).toBe(false);
  });
});

describe('A2ATypeOrmModule in an application that is not set up right', () => {
  it.each([
    ['without a DataSource', {}, /found no DataSource/],
    [
      'with a database in memory',
      { type: 'better-sqlite3', database: ':memory:' },
      /a database in memory has none/,
    ],
    ['with a prefix that is no name', undefined, /tablePrefix "a-b; " /],
  ])('%s does not start', async (_, source, message) => {
    const options = source ? {} : { tablePrefix: 'a-b; ', sqlite: { file: '/nowhere' } };
    const imports: Import[] = [A2ATypeOrmModule.forRoot(options)];
    if (source && 'type' in source) imports.push(TypeOrmModule.forRoot(source as never));
    await expect(boot({ module: class {}, imports })).rejects.toThrow(message);
  });

  it.each([
    [{ retryMs: NaN }, 'A2ATypeOrmModule: retryMs is NaN'],
    [{ pollMs: Infinity }, 'A2ATypeOrmModule: pollMs is Infinity, but must be'],
  ])('with %o does not start', async (options, message) => {
    const imports: Import[] = [A2ATypeOrmModule.forRoot({ ...options, sqlite: { file: '/nowhere' } })];
    await expect(boot({ module: class {}, imports })).rejects.toThrow(message);
  });
});

/** How many connections to the database there are besides the one that asks. */
async function openConnections(place: TestDatabase): Promise<number> {
  const source = await place.connect();
  const counting =
    place.kind === 'postgres'
      ? `SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
      : `SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()`;
  // A server may notice a moment later that a connection was closed.
  for (let attempt = 0; ; attempt++) {
    const [{ n }] = (await source.query(counting)) as [{ n: unknown }];
    if (Number(n) === 0 || attempt === 50) {
      await source.destroy();
      return Number(n);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
