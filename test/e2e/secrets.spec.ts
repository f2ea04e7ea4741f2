import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TypeOrmModule } from '@nestjs/typeorm';
import { apiKey, AgentExecutor, type OperationName, type RequestContext, safeEqual, Skill } from 'nest-a2a';
import { A2ATypeOrmModule } from 'nest-a2a/typeorm';
import { describe, expect, it } from 'vitest';
import { PLATFORMS, serveApp } from '../conformance/support/app.js';
import { BINDINGS, OPERATION_NAMES, type Params } from '../conformance/support/peer.js';
import { FullLog } from '../guards/support/full-log.js';
import { M } from '../support/message.js';
import { createDatabase } from '../typeorm/databases.js';
import { everyValue } from '../support/every-value.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';

/** Asks back, or fails in its own way. */
@Skill({ id: 'ask', name: 'Ask', description: 'Asks back', tags: ['test'] })
@AgentExecutor({
  name: 'Asker',
  description: 'Asks back',
  version: '1',
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
})
class Asker {
  async execute({ updater, userInput, call }: RequestContext): Promise<void> {
    if (userInput === 'fail') throw new Error('out of order');
    await updater.addArtifact(JSON.stringify(call));
    await updater.requiresInput();
  }
}

const secret = () => `s3cr3t-${randomBytes(12).toString('hex')}`;
/** A secret may be written in other ways. */
const formsOf = (text: string) => [
  text,
  Buffer.from(text).toString('base64').slice(0, 24),
  Buffer.from(text).toString('hex'),
  encodeURIComponent(text),
];

describe.each(PLATFORMS)('secrets, on %s', (platform) => {
  it('are in no log line, answer, event, executor or row, whatever is called', async () => {
    const key = secret();
    const wrongKey = secret();
    const sealingKey = randomBytes(32).toString('base64');
    const secrets = [key, wrongKey, sealingKey];
    const delivered: string[] = [];
    const said: string[] = [];
    const log = new FullLog();
    const receiver = createServer((request, response) => {
      delivered.push(JSON.stringify(request.headers));
      // So that failures are logged and retried, too.
      request.resume().on('end', () => response.writeHead(delivered.length % 2 ? 500 : 200).end());
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const place = await createDatabase('sqlite');
    const source = await place.connect();
    const served = await serveApp(platform, {
      agents: [
        {
          agent: Asker,
          extendedCard: (_call, card) => card,
          options: {
            securitySchemes: {
              key: apiKey({
                in: 'header',
                name: 'X-Ask-Key',
                validate: (given) => safeEqual(given, key) && { id: 'ann' },
              }),
            },
            securityRequirements: [{ schemes: { key: {} } }],
          },
        },
      ],
      imports: [
        TypeOrmModule.forRoot({ ...place.options, retryAttempts: 0 }),
        A2ATypeOrmModule.forRoot({ runMigrations: true }),
      ],
      options: {
        secrets: { keys: [{ id: 'k', key: sealingKey }] },
        urls: { allow: ['127.0.0.1'] },
        transport: { forwardHeaders: ['x-ask-key', 'authorization', 'cookie', 'user-agent'] },
      },
      logger: log,
    });
    try {
      for (const binding of BINDINGS) {
        const stranger = served
          .peer(binding)
          .with({ 'x-ask-key': wrongKey, authorization: `Bearer ${wrongKey}` });
        const ann = served.peer(binding).with({ 'x-ask-key': key, cookie: `session=${wrongKey}` });
        const webhook = () => {
          const [token, credentials] = [secret(), secret()];
          secrets.push(token, credentials);
          for (const sent of [token, credentials])
            allowPlainSecret('answer', sent, 'Create answers what it was sent');
          return {
            url: `http://127.0.0.1:${port}/hook`,
            token,
            authentication: { scheme: 'Bearer', credentials },
          };
        };
        const inline = () => ({ configuration: { taskPushNotificationConfig: webhook() } });
        const { id } = await ann.send('ask', inline());
        await ann.send('fail', inline());
        const params: Readonly<Record<OperationName, () => Params>> = {
          SendMessage: () => M('ask', { ...inline(), message: { taskId: id } }) as object as Params,
          SendStreamingMessage: () => M('ask', { ...inline(), message: { taskId: id } }) as object as Params,
          SubscribeToTask: () => ({ id: 'none' }),
          GetTask: () => ({ id }),
          ListTasks: () => ({ includeArtifacts: true }),
          CreateTaskPushNotificationConfig: () => ({ taskId: id, id: 'c', ...webhook() }),
          GetTaskPushNotificationConfig: () => ({ taskId: id, id: 'c' }),
          ListTaskPushNotificationConfigs: () => ({ taskId: id }),
          GetExtendedAgentCard: () => ({}),
          DeleteTaskPushNotificationConfig: () => ({ taskId: id, id: 'c' }),
          CancelTask: () => ({ id }),
        };
        // A scripted order: what creates and reads before what deletes and ends.
        const order = Object.keys(params) as OperationName[];
        expect(order.toSorted()).toEqual(OPERATION_NAMES.toSorted());
        for (const operation of order) {
          // Broken parameters of a known caller, too: errors name what is wrong.
          const broken = {
            ...params[operation](),
            taskId: 7,
            id: 7,
            token: 7,
            message: { token: secrets.at(-1) },
          };
          const requests = [
            stranger.request(operation, params[operation]()),
            ann.request(operation, broken),
            ann.request(operation, params[operation]()),
          ];
          for (const response of await Promise.all(requests)) {
            const text = JSON.stringify([...response.headers]) + (await response.text());
            // Create answers what was stored, to whom just sent it.
            const created = operation === 'CreateTaskPushNotificationConfig' && response.status === 200;
            if (!created || text.includes('"error"')) said.push(text);
          }
        }
      }
      await expect.poll(() => delivered.length, { timeout: 10_000 }).toBeGreaterThan(3);
      const rows = await everyValue(source);
      expect(rows).toContain('sealed:v1:k:');
      expect(log.text).toContain('out of order');
      expect(said.length).toBeGreaterThan(60);
      // The test would see a secret: receivers are given theirs.
      expect(secrets.some((known) => delivered.join().includes(known))).toBe(true);
      for (const known of secrets.flatMap(formsOf)) {
        expect(log.text).not.toContain(known);
        expect(said.join('\n')).not.toContain(known);
        expect(rows).not.toContain(known);
      }
    } finally {
      await served.close();
      receiver.closeAllConnections();
      receiver.close();
      await place.drop();
    }
  });
});
