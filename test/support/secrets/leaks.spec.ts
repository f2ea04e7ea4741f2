import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import {
  MemoryPushNotificationConfigStore,
  MemoryQueueManager,
  MemoryTaskStore,
  TaskNotFoundError,
  type StoredPushNotificationConfig,
  type TaskRecord,
} from 'nest-a2a';
import { TypeOrmPushNotificationConfigStore } from 'nest-a2a/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { messageCommand, originOf, unique } from '../../contracts/samples.js';
import { twoManagers } from '../../redis/redis-host.js';
import { createDatabase } from '../../typeorm/databases.js';
import { onEachKind } from '../../typeorm/on-each-database.js';
import { createBacking } from '../backing.js';
import { removeKeys } from '../redis-keys.js';
import { describeWithServer, redisUrl, uniqueName } from '../servers.js';
import { secretsIn } from './known-secrets.js';
import { allowPlainSecret, look, takeLeaks, type Place } from './leaks.js';
import { watchChild } from './watch-child.js';

const SECRET = 's3cr3t-planted';
const CONFIG: StoredPushNotificationConfig = {
  taskId: 't',
  id: 'c',
  url: 'https://example.com',
  token: SECRET,
};

/** Takes what was found, so that it fails nothing, and says where that was. */
const places = (): readonly string[] => [...new Set(takeLeaks().map((leak) => leak.split(':')[0]!))];

describe('a secret', () => {
  it.each([
    ['as it is', `key=${SECRET};`],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64, behind a name', Buffer.from(`ann:${SECRET}`).toString('base64')],
    ['in base64, behind a longer name', Buffer.from(`lena:${SECRET}`).toString('base64')],
    ['in base64, behind the longest', Buffer.from(`maria:${SECRET}`).toString('base64')],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in a URL', encodeURIComponent('client-secret-%')],
  ])('is found %s', (_how, text) => {
    expect(secretsIn(text)).toHaveLength(1);
    expect(secretsIn(text.slice(0, 5))).toEqual([]);
  });

  it('may be where a test says so, and nowhere else', () => {
    allowPlainSecret('store', 's3cr3t-allowed', 'a test of this');
    look('store', 's3cr3t-allowed');
    expect(places()).toEqual([]);
    look('log', 's3cr3t-allowed');
    look('store', `s3cr3t-allowed ${SECRET}`);
    expect(places()).toEqual(['log', 'store']);
  });
});

/** Answers once, by a server of this process. */
async function answer(write: (response: ServerResponse) => void): Promise<void> {
  const server = createServer((_request, response) => write(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
  server.close();
}

describe('a secret is found in', () => {
  it.each<[what: string, place: Place, plant: () => unknown]>([
    ['what is printed', 'output', () => process.stdout.write(`${SECRET}\n`)],
    ['what a console says', 'output', () => console.debug(SECRET)],
    ['a log that is not shown', 'log', () => new Logger('A2A').verbose({ token: SECRET })],
    ['an error that is logged', 'log', () => new Logger('A2A').error(new Error('x', { cause: SECRET }))],
    ['an error', 'error', () => new Error(SECRET)],
    ['an error of the library', 'error', () => new TaskNotFoundError(SECRET)],
    ['a body', 'answer', () => answer((response) => response.end(SECRET))],
    ['a part of a body', 'answer', () => answer((response) => (response.write(SECRET), response.end()))],
    ['a header', 'answer', () => answer((response) => response.setHeader('x', SECRET).end())],
    ['a task', 'store', () => new MemoryTaskStore().save({ task: { id: SECRET, status: {} } } as TaskRecord)],
    ['a webhook', 'store', () => new MemoryPushNotificationConfigStore().set(CONFIG)],
    ['a log', 'store', () => new MemoryQueueManager().create('t', originOf(), messageCommand(SECRET))],
  ])('%s', async (_what, place, plant) => {
    Logger.overrideLogger(false);
    await plant();
    expect(places()).toContain(place);
  });

  it('what another process prints, in two pieces', async () => {
    const program = `process.stderr.write('s3cr', () => setTimeout(() => process.stderr.write('3t-x'), 50))`;
    const child = spawn(process.execPath, ['-e', program]);
    watchChild(child);
    await once(child, 'close');
    expect(places()).toEqual(['output']);
  });
});

onEachKind('a secret in a row is found', (kind) => {
  it('when the database of a test is dropped', async () => {
    const place = await createDatabase(kind);
    await new TypeOrmPushNotificationConfigStore(await place.open()).set(CONFIG);
    expect(places()).toEqual([]);
    await place.drop();
    expect(places()).toEqual(['store']);
  });

  it('when the database of processes is dropped', async () => {
    const backing = await createBacking({ STORE: kind, QUEUE: 'typeorm' });
    const { databaseUrl } = backing.settings;
    const options =
      kind === 'sqlite'
        ? { type: 'better-sqlite3', database: databaseUrl }
        : { type: kind, url: databaseUrl };
    const source = await new DataSource(options as DataSourceOptions).initialize();
    await source.query(`CREATE TABLE kept (word VARCHAR(99))`);
    await source.query(`INSERT INTO kept VALUES ('${SECRET}')`);
    await source.destroy();
    expect(places()).toEqual([]);
    await backing.drop();
    expect(places()).toEqual(['store']);
  });
});

describeWithServer('a secret in Redis is found', 'redis', () => {
  it('in a log, when it is written and when the keys are removed', async () => {
    const managers = await twoManagers();
    await managers.queue.create(unique('task'), originOf(), messageCommand(SECRET));
    expect(places()).toEqual(['store']);
    await managers.close();
    expect(places()).toEqual(['store']);
  });

  it('in a job, also when it is gone', async () => {
    const prefix = uniqueName('jobs');
    const queue = new Queue('jobs', { connection: { url: redisUrl() }, prefix });
    const job = await queue.add('poke', { taskId: SECRET });
    await job.remove();
    await queue.close();
    expect(places()).toEqual(['store']);
    await removeKeys(prefix);
    expect(places()).toEqual([]);
  });
});
