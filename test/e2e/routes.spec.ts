import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type DynamicModule,
  type ExceptionFilter,
  Get,
  type INestApplication,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, RouterModule } from '@nestjs/core';
import { A2AModule, type AgentCard } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DetachedWork } from '../fixtures/scripted-agent/detached-work.js';
import { RunCounter } from '../fixtures/scripted-agent/run-counter.js';
import { ScriptedAgent } from '../fixtures/scripted-agent/scripted.agent.js';
import { headersOf, readAnswer } from '../support/http.js';
import { M } from '../support/message.js';
import { type Platform, PLATFORMS, type Running, scripted, start, stop } from './apps.js';
import { read, word } from './calls.js';

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Calls any URL as an A2A client. */
async function call(url: string, verb: Verb = 'GET', body?: unknown) {
  const answer = await fetch(url, {
    method: verb,
    headers: headersOf(body === undefined ? {} : { 'content-type': 'application/json' }),
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  return readAnswer<any>(answer);
}

const envelope = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });

/** Calls every operation below a REST base once, its colons written as given. */
async function walkRest(base: string, colon = ':'): Promise<void> {
  const sent = await call(`${base}/message${colon}send`, 'POST', M('park'));
  expect(sent.status).toBe(200);
  const { id } = sent.body.task;
  expect((await call(`${base}/tasks/${id}`)).body).toMatchObject({ id });
  expect((await call(`${base}/tasks`)).body.tasks.length).toBeGreaterThan(0);
  for (const verb of ['GET', 'POST'] as const) {
    const subscribed = await fetch(`${base}/tasks/${id}${colon}subscribe`, {
      method: verb,
      headers: headersOf(),
    });
    expect(subscribed.status).toBe(200);
    expect((await read(subscribed, 1)).map(word)).toEqual(['Task INPUT_REQUIRED']);
  }
  const streamed = await fetch(`${base}/message${colon}stream`, {
    method: 'POST',
    headers: headersOf({ 'content-type': 'application/json' }),
    body: JSON.stringify(M('quick')),
  });
  expect(streamed.status).toBe(200);
  expect((await read(streamed)).map(word).at(-1)).toBe('COMPLETED');
  const canceled = await call(`${base}/tasks/${id}${colon}cancel`, 'POST');
  expect(canceled.status).toBe(200);
  expect(canceled.body.status.state).toBe('TASK_STATE_CANCELED');
}

async function walkRpc(url: string): Promise<void> {
  const sent = await call(url, 'POST', envelope('SendMessage', M('park')));
  expect(sent.status).toBe(200);
  const { id } = sent.body.result.task;
  for (const method of ['GetTask', 'CancelTask', 'CancelTask']) {
    const answer = await call(url, 'POST', envelope(method, { id }));
    expect(answer.status, method).toBe(200);
    expect(answer.body.result.id, method).toBe(id);
  }
  const listed = await call(url, 'POST', envelope('ListTasks', {}));
  expect(listed.status).toBe(200);
  expect(listed.body.result.tasks.length).toBeGreaterThan(0);
}

/** The card at a URL, and the walk through the interfaces that it names. */
async function walkCard(url: string): Promise<string[]> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const { supportedInterfaces } = (await response.json()) as AgentCard;
  for (const { protocolBinding, url: target } of supportedInterfaces) {
    await (protocolBinding === 'JSONRPC' ? walkRpc(target) : walkRest(target));
  }
  return supportedInterfaces.map((entry) => new URL(entry.url).pathname);
}

/** How an application may be reached; the last two as tests with supertest do, without app.listen(). */
const SERVERS: [string, Platform, boolean][] = [
  ['fastify', 'fastify', true],
  ['express', 'express', true],
  ['the HTTP server of fastify alone', 'fastify', false],
  ['the HTTP server of express alone', 'express', false],
];

describe.each(SERVERS)('B05: the operations on %s', (_name, platform, listens) => {
  let running: Running;
  beforeAll(async () => {
    running = await (listens ? start(platform, scripted()) : startServer(platform));
  });
  afterAll(() => stop(running));

  it('B05 B08: are served over REST, with 200', () => walkRest(`${running.base}/a2a/rest`));
  it('B05 B08: are served over JSON-RPC, with 200', () => walkRpc(`${running.base}/a2a/jsonrpc`));
  it('B05: are where the card says', async () => {
    const paths = await walkCard(`${running.base}/.well-known/agent-card.json`);
    expect(paths).toEqual(['/a2a/jsonrpc', '/a2a/rest']);
  });

  it.each(['%3A', '%3a'])('B07: are the same with %s for the colon', (colon) =>
    walkRest(`${running.base}/a2a/rest`, colon),
  );

  it('B07: are not found with a colon that was encoded twice', async () => {
    const { status, body } = await call(`${running.base}/a2a/rest/message%253Asend`, 'POST', M('quick'));
    expect(status).toBe(404);
    expect(body.error.code).toBe(404);
  });
});

async function startServer(platform: Platform): Promise<Running> {
  const { NestFactory } = await import('@nestjs/core');
  const { createAdapter } = await import('../fixtures/serve.js');
  const app = await NestFactory.create(scripted(), createAdapter(platform), { logger: false });
  await app.init();
  if (platform === 'fastify') await app.getHttpAdapter().getInstance().ready();
  const server = app.getHttpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return { app, port, base: `http://127.0.0.1:${port}` };
}

describe.concurrent.each(PLATFORMS)('B06: routes on %s', (platform) => {
  /** The scripted agent in a module of its own, which RouterModule can move. */
  class AgentModule {}
  const agentModule = (): DynamicModule => ({
    module: AgentModule,
    imports: [A2AModule.forFeature([ScriptedAgent])],
    providers: [ScriptedAgent, RunCounter, DetachedWork],
  });
  class RootModule {}
  const root = (path?: string): DynamicModule => ({
    module: RootModule,
    imports: [A2AModule.forRoot({ path }), agentModule()],
  });

  const ways: [string, DynamicModule, (app: INestApplication) => unknown, string][] = [
    ['as they are', root(), () => {}, ''],
    ['under a global prefix', root(), (app) => app.setGlobalPrefix('api'), '/api'],
    ['under a prefix with slashes', root(), (app) => app.setGlobalPrefix('/api/v2/'), '/api/v2'],
    [
      'with versions in the URI',
      root(),
      (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
      '',
    ],
    [
      'with a prefix and versions in the URI',
      root(),
      (app) => app.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
      '/api',
    ],
    ["under the module's path", root('agents'), () => {}, '/agents'],
    [
      "under a prefix and the module's path",
      root('agents'),
      (app) => app.setGlobalPrefix('api'),
      '/api/agents',
    ],
  ];

  it.each(ways)('are served %s', async (_way, module, configure, prefix) => {
    const running = await start(platform, module, { configure });
    const { base } = running;
    await walkRest(`${base}${prefix}/a2a/rest`);
    await walkRpc(`${base}${prefix}/a2a/jsonrpc`);
    for (const place of ['', `${prefix}/a2a`]) {
      const paths = await walkCard(`${base}${place}/.well-known/agent-card.json`);
      expect(paths).toEqual([`${prefix}/a2a/jsonrpc`, `${prefix}/a2a/rest`]);
    }
    await stop(running);
  });

  it('follow RouterModule', async () => {
    const feature = A2AModule.forFeature([ScriptedAgent]);
    const running = await start(
      platform,
      {
        module: RootModule,
        imports: [
          A2AModule.forRoot(),
          feature,
          RouterModule.register([{ path: 'shop', children: [{ path: 'desk', module: feature.module }] }]),
        ],
        providers: [ScriptedAgent, RunCounter, DetachedWork],
      },
      { configure: (app) => app.setGlobalPrefix('api') },
    );
    await walkRest(`${running.base}/api/shop/desk/a2a/rest`);
    await walkRpc(`${running.base}/api/shop/desk/a2a/jsonrpc`);
    const paths = await walkCard(`${running.base}/.well-known/agent-card.json`);
    expect(paths).toEqual(['/api/shop/desk/a2a/jsonrpc', '/api/shop/desk/a2a/rest']);
    await stop(running);
  });
});

@Catch()
class HostFilter implements ExceptionFilter {
  seen: string[] = [];

  catch(exception: Error, host: ArgumentsHost): void {
    this.seen.push(exception.message);
    const reply = host.switchToHttp().getResponse<{ status(n: number): { send(body: object): void } }>();
    reply.status(418).send({ host: 'says no' });
  }
}

@Controller('host')
class HostController {
  @Get('fail')
  fail(): never {
    throw new Error('of the host');
  }
}

describe.concurrent.each(PLATFORMS)('B14: errors outside the operations, on %s', (platform) => {
  let running: Running;
  const filter = new HostFilter();
  beforeAll(async () => {
    const root = scripted({}, [{ provide: APP_FILTER, useValue: filter }]);
    running = await start(platform, { ...root, controllers: [HostController] });
  });
  afterAll(() => stop(running));

  const cases: [string, Verb, string, unknown, number][] = [
    ['an unknown path', 'GET', '/nowhere', undefined, 404],
    ['an unknown verb of messages', 'POST', '/message:sing', M('quick'), 404],
    // Ids may hold colons: this is a task, and tasks are not posted.
    ['an unknown verb of a task', 'POST', '/tasks/x:sing', undefined, 405],
    ['an unknown path of a task', 'POST', '/tasks/x/sing', undefined, 404],
    ['the base itself', 'GET', '', undefined, 404],
    ['the base with a slash', 'GET', '/', undefined, 404],
    ['GET for a send', 'GET', '/message:send', undefined, 405],
    ['GET for a stream', 'GET', '/message:stream', undefined, 405],
    ['PUT for a send', 'PUT', '/message:send', M('quick'), 405],
    ['PATCH for a task', 'PATCH', '/tasks/x', {}, 405],
    ['DELETE for tasks', 'DELETE', '/tasks', undefined, 405],
    ['malformed JSON', 'POST', '/message:send', '{"message":', 400],
    ['no body', 'POST', '/message:send', undefined, 400],
    ['JSON that is no object', 'POST', '/message:send', '[1]', 400],
    ['a deep body', 'POST', '/message:send', `{"message":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
    ['a bad query', 'GET', '/tasks?pageSize=many', undefined, 400],
  ];

  it.each(cases)('%s is refused in the shape of the protocol', async (_what, verb, path, body, status) => {
    const answer = await call(`${running.base}/a2a/rest${path}`, verb, body);
    expect(answer.status).toBe(status);
    expectStatus(answer.headers.get('content-type'), answer.body, status);
  });

  it('a bad percent-encoding is refused in JSON', async () => {
    for (const path of ['/tasks/%E0%A4%A', '/%', '/tasks/%zz:cancel']) {
      const answer = await call(`${running.base}/a2a/rest${path}`);
      expect(answer.status, path).toBe(400);
      expect(answer.headers.get('content-type')).toMatch(/^application\/(a2a\+)?json/);
      // Fastify refuses it before any hook.
      if (platform === 'express') expectStatus(answer.headers.get('content-type'), answer.body, 400);
      expect(JSON.stringify(answer.body)).not.toMatch(/\.[jt]s:\d|node_modules/);
    }
  });

  it.each([
    ['malformed JSON', 'POST', '{"jsonrpc":', -32700],
    ['no body', 'POST', undefined, -32600],
    ['another verb', 'GET', undefined, -32601],
  ] as const)('over JSON-RPC %s is refused with an envelope', async (_what, verb, body, code) => {
    const answer = await call(`${running.base}/a2a/jsonrpc`, verb, body);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code, message: expect.any(String) },
    });
  });

  it('below the JSON-RPC endpoint there is nothing, and it says so in JSON', async () => {
    const answer = await call(
      `${running.base}/a2a/jsonrpc/nowhere`,
      'POST',
      envelope('GetTask', { id: 'x' }),
    );
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
  });

  it('headers that are too large get 431, and the server goes on', async () => {
    const socket = connect(running.port, '127.0.0.1');
    socket.write(`GET /a2a/rest/tasks HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 431 /);
    expect((await call(`${running.base}/a2a/rest/tasks`)).status).toBe(200);
  });

  it("outside the agents' paths the host's filters answer, and inside they see nothing", async () => {
    filter.seen.length = 0;
    await call(`${running.base}/a2a/rest/nowhere`);
    await call(`${running.base}/a2a/rest/tasks/unknown`);
    expect(filter.seen).toEqual([]);
    for (const path of ['/host/fail', '/nowhere', '/a2a', '/a2ax/rest', '/a2a/restful/tasks']) {
      const answer = await call(`${running.base}${path}`);
      expect(answer.status, path).toBe(418);
      expect(answer.body, path).toEqual({ host: 'says no' });
    }
  });
});

function expectStatus(type: string | null, body: any, status: number): void {
  expect(type).toMatch(/^application\/(a2a\+)?json/);
  expect(Object.keys(body)).toEqual(['error']);
  expect(body.error).toMatchObject({
    code: status,
    status: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.any(String),
  });
  const infos = body.error.details.filter((detail: object) => 'reason' in detail);
  expect(infos).toMatchObject([
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'a2a-protocol.org' },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/<html|node_modules|\.[jt]s:\d/i);
}
