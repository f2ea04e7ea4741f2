import { randomBytes } from 'node:crypto';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentExecutor, PushNotificationConfigStore, type RequestContext, Skill } from 'nest-a2a';
import { A2ATypeOrmModule } from 'nest-a2a/typeorm';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serveApp, type ServedApp } from '../conformance/support/app.js';
import { BINDINGS } from '../conformance/support/peer.js';
import { createDatabase, type TestDatabase } from './databases.js';
import { everyValue } from '../support/every-value.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';
import { onEachKind } from './on-each-database.js';

@Skill({ id: 'park', name: 'Park', description: 'Asks back', tags: ['test'] })
@AgentExecutor({
  name: 'Parker',
  description: 'Asks back',
  version: '1',
  capabilities: { pushNotifications: true },
})
class Parker {
  async execute({ updater }: RequestContext): Promise<void> {
    await updater.requiresInput();
  }
}

const HOOK = 'https://example.com/hook';
const keyOf = (id: string) => ({ id, key: randomBytes(32).toString('base64') });
const OLD = keyOf('old');
const NEW = keyOf('new');

onEachKind('secrets at rest', (kind) => {
  let place: TestDatabase;
  let source: DataSource;
  let served: ServedApp | undefined;

  beforeEach(async () => {
    place = await createDatabase(kind);
    source = await place.connect();
  });
  afterEach(async () => {
    await served?.close();
    await place.drop();
  });

  async function serveWith(...keys: (typeof OLD)[]): Promise<ServedApp> {
    await served?.close();
    served = await serveApp('fastify', {
      agents: [Parker],
      imports: [
        TypeOrmModule.forRoot({ ...place.options, retryAttempts: 0 }),
        A2ATypeOrmModule.forRoot({ runMigrations: true }),
      ],
      options: { secrets: { keys }, urls: { lookup: async () => [{ address: '93.184.215.14', family: 4 }] } },
    });
    return served;
  }

  const everything = () => everyValue(source);

  it('no row of any table holds a secret, whichever way it came', async () => {
    const { peer } = await serveWith(OLD);
    const secrets: string[] = [];
    const secret = () => {
      secrets.push(`s3cr3t-${randomBytes(9).toString('hex')}`);
      return secrets.at(-1)!;
    };
    const config = () => ({
      url: HOOK,
      token: secret(),
      authentication: { scheme: 'Bearer', credentials: secret() },
    });
    for (const binding of BINDINGS) {
      const configuration = { taskPushNotificationConfig: config() };
      const task = await peer(binding).send('park', { configuration });
      await peer(binding).send('again', { message: { taskId: task.id }, configuration });
      const given = { taskId: task.id, id: 'c', ...config() };
      for (const sent of secrets.slice(-2))
        allowPlainSecret('answer', sent, 'Create answers what it was sent');
      expect(await peer(binding).ok('CreateTaskPushNotificationConfig', given)).toEqual(given);
      const read = [
        await peer(binding).ok('GetTaskPushNotificationConfig', { taskId: task.id, id: 'c' }),
        await peer(binding).ok('ListTaskPushNotificationConfigs', { taskId: task.id }),
        await peer(binding).ok('GetTask', { id: task.id }),
      ];
      for (const known of secrets) expect(JSON.stringify(read)).not.toContain(known);
      expect(await served!.app.get(PushNotificationConfigStore).get(task.id, 'c')).toEqual(given);
    }
    const stored = await everything();
    expect(stored).toContain(HOOK);
    expect(stored).toContain('sealed:v1:old:');
    expect(secrets.length).toBeGreaterThan(7);
    for (const known of secrets) {
      for (const form of [known, Buffer.from(known).toString('base64').slice(4, 24)]) {
        expect(stored).not.toContain(form);
      }
    }
  });

  it('rows that were swapped do not open, and callers learn nothing of it', async () => {
    const { peer, app } = await serveWith(OLD);
    const caller = peer();
    const ids = [(await caller.send('park')).id, (await caller.send('park')).id];
    for (const taskId of ids)
      await caller.ok('CreateTaskPushNotificationConfig', { taskId, id: 'c', url: HOOK, token: taskId });
    const table = source.driver.escape('a2a_push_notification_configs');
    const read = async (id: string) =>
      (await source.query(`SELECT config_data FROM ${table} WHERE task_id = '${id}'`))[0]
        .config_data as Buffer;
    const [first, second] = [await read(ids[0]!), await read(ids[1]!)];
    const forged = { ...JSON.parse(first.toString()), token: JSON.parse(second.toString()).token };
    const hex = Buffer.from(JSON.stringify(forged)).toString('hex');
    const value = kind === 'postgres' ? `decode('${hex}', 'hex')` : `x'${hex}'`;
    await source.query(`UPDATE ${table} SET config_data = ${value} WHERE task_id = '${ids[0]}'`);

    const store = app.get(PushNotificationConfigStore);
    await expect(store.get(ids[0]!, 'c')).rejects.toThrow('not the one that was sealed');
    expect(await store.get(ids[1]!, 'c')).toMatchObject({ token: ids[1] });
    const refusal = await caller.refused('GetTaskPushNotificationConfig', { taskId: ids[0], id: 'c' });
    expect(refusal).toMatchObject({ reason: 'INTERNAL', message: 'Internal error' });
  });

  it('keys are changed while webhooks are kept', async () => {
    const caller = (await serveWith(OLD)).peer();
    const { id: taskId } = await caller.send('park');
    await caller.ok('CreateTaskPushNotificationConfig', { taskId, id: 'a', url: HOOK, token: 'first' });

    const rotated = await serveWith(NEW, OLD);
    const store = rotated.app.get(PushNotificationConfigStore);
    expect(await store.get(taskId, 'a')).toMatchObject({ token: 'first' });
    await rotated
      .peer()
      .ok('CreateTaskPushNotificationConfig', { taskId, id: 'b', url: HOOK, token: 'second' });
    expect(await everything()).toContain('sealed:v1:new:');

    const retired = (await serveWith(NEW)).app.get(PushNotificationConfigStore);
    expect(await retired.get(taskId, 'b')).toMatchObject({ token: 'second' });
    await expect(retired.get(taskId, 'a')).rejects.toThrow('secrets.keys does not have');
  });
});
