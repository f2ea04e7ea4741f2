import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  A2AModule,
  AgentExecutor,
  mutualTls,
  type OperationName,
  type RequestContext,
  Skill,
} from 'nest-a2a';
import { Agent, fetch as fetchWith, type RequestInit } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PLATFORMS, type Platform } from '../conformance/support/app.js';
import { BINDINGS, OPERATION_NAMES, type Params, Peer } from '../conformance/support/peer.js';
import { M } from '../support/message.js';
import { pem } from './support/certificates.js';

@Skill({ id: 'open', name: 'Open', description: 'Opens the vault', tags: ['test'] })
@AgentExecutor({
  name: 'Vault',
  description: 'Asks back',
  version: '1',
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
})
class Vault {
  async execute({ updater }: RequestContext): Promise<void> {
    await updater.requiresInput();
  }
}

/** Who has the scope that the agent at this path wants: of two clients of one authority, both, or the first only. */
const PATHS = { both: ['ann', 'server'], first: ['ann'] } as const;
const HOOK = 'https://example.com/hook';
const PARAMS: Readonly<Record<OperationName, (taskId: string) => Params>> = {
  SendMessage: (taskId) => M('open', { message: { taskId } }) as object as Params,
  SendStreamingMessage: (taskId) => M('open', { message: { taskId } }) as object as Params,
  GetTask: (id) => ({ id }),
  ListTasks: () => ({}),
  CancelTask: (id) => ({ id }),
  SubscribeToTask: (id) => ({ id }),
  CreateTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'new', url: HOOK }),
  GetTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'hook' }),
  ListTaskPushNotificationConfigs: (taskId) => ({ taskId }),
  DeleteTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'hook' }),
  GetExtendedAgentCard: () => ({}),
};

const server = {
  key: pem('server.key'),
  cert: pem('server'),
  ca: pem('ca'),
  requestCert: true,
  rejectUnauthorized: false,
};

function createAgent(name?: string): Agent {
  const identity = name && { key: pem(`${name}.key`), cert: pem(name) };
  return new Agent({ connect: { ca: pem('ca'), servername: 'localhost', ...identity } });
}

/** Whose certificate a connection shows is what its dispatcher has; peers name it in a header that is not sent. */
const CLIENT = 'x-test-client';
const agents = new Map(['', 'ann', 'server', 'mallory'].map((name) => [name, createAgent(name)]));

async function serve(platform: Platform) {
  const features = Object.entries(PATHS).map(([path, users]) => ({
    agent: Vault,
    id: path,
    path,
    extendedCard: (_call: unknown, card: object) => card as never,
    options: {
      securitySchemes: {
        mtls: mutualTls({
          validate: ({ subject }) => {
            const id = /^CN=(.+)$/m.exec(subject)?.[1] ?? '';
            return { id, scopes: users.some((user) => user === nameOf(id)) ? ['use'] : [] };
          },
        }),
      },
      securityRequirements: [{ schemes: { mtls: { list: ['use'] } } }],
    },
  }));

  @Module({
    imports: [
      A2AModule.forRoot({ urls: { lookup: async () => [{ address: '93.184.215.14', family: 4 }] } }),
      A2AModule.forFeature(features),
    ],
    providers: [Vault],
  })
  class AppModule {}

  const [adapter, options] =
    platform === 'fastify'
      ? [new FastifyAdapter({ https: server } as object), {}]
      : [new ExpressAdapter(), { httpsOptions: server }];
  const app = await NestFactory.create(AppModule, adapter, { logger: false, ...options });
  await app.listen(0, '127.0.0.1');
  return app;
}

/** The server's certificate names it by its host. */
const nameOf = (id: string) => (id === 'localhost' || id === '127.0.0.1' ? 'server' : id);

describe.each(PLATFORMS)('mTLS on a server with https, on %s', (platform) => {
  let app: Awaited<ReturnType<typeof serve>>;
  let base: string;

  beforeAll(async () => {
    vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers as Record<string, string>);
      const dispatcher = agents.get(headers.get(CLIENT) ?? '')!;
      headers.delete(CLIENT);
      return fetchWith(url, { ...init, headers: [...headers], dispatcher });
    });
    app = await serve(platform);
    base = (await app.getUrl()).replace('http:', 'https:');
  });
  afterAll(async () => {
    vi.unstubAllGlobals();
    await app?.close();
  });

  describe.each(BINDINGS)('over %s', (binding) => {
    const peer = (client: string, path: keyof typeof PATHS = 'both') =>
      new Peer(`${base}/${path}`, binding, { [CLIENT]: client });

    it.each(OPERATION_NAMES)('%s', async (operation) => {
      const ann = peer('ann');
      const { id } = await ann.send('open');
      await ann.ok('CreateTaskPushNotificationConfig', { taskId: id, id: 'hook', url: HOOK });
      const params = PARAMS[operation](id);
      const before = await ann.get(id);

      for (const client of ['', 'mallory']) {
        const refusal = await peer(client).refused(operation, params);
        expect(refusal).toMatchObject({ httpStatus: 401, reason: 'UNAUTHENTICATED' });
        expect(refusal.headers.get('www-authenticate')).toMatch(/MutualTLS realm="a2a"/);
      }
      const low = await peer('server', 'first').refused(operation, params);
      expect(low).toMatchObject({ httpStatus: 403, reason: 'PERMISSION_DENIED' });
      expect(low.metadata).toMatchObject({ scheme: 'mtls', missingScopes: 'use' });

      const other = await peer('server').call(operation, params);
      if (operation === 'ListTasks') expect(other.result.tasks).toEqual([]);
      else if (operation === 'GetExtendedAgentCard') expect(other.result.name).toBe('Vault');
      else expect(other.refusal?.reason).toBe('TASK_NOT_FOUND');
      expect(await ann.get(id)).toEqual(before);

      const end = new AbortController();
      const response = await ann.request(operation, params, end.signal);
      expect(response.status).toBe(200);
      end.abort();
    });

    it('a header does not stand in for a certificate', async () => {
      const header = { 'x-client-cert': encodeURIComponent(pem('ann')), 'x-client-verify': 'SUCCESS' };
      const refusal = await peer('').with(header).refused('ListTasks');
      expect(refusal.httpStatus).toBe(401);
    });
  });
});

afterAll(() => Promise.all([...agents.values()].map((agent) => agent.close())));
