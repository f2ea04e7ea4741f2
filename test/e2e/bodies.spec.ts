import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Body, Controller, type DynamicModule, Post, Req } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { M } from '../support/message.js';
import { type Platform, PLATFORMS, type Running, scripted, start, type StartOptions, stop } from './apps.js';
import { listTasks } from './calls.js';

const JSON_TYPES = [
  'application/a2a+json',
  'application/a2a+json; charset=utf-8',
  'application/json',
  'application/json;charset=UTF-8',
  'APPLICATION/A2A+JSON; Charset="UTF-8"',
  'Application/Json',
];
const LIMIT = 10 * 1024 * 1024;

@Controller('host')
class HostController {
  @Post('echo')
  echo(@Body() body: unknown) {
    return { body: body ?? null };
  }

  @Post('webhook')
  webhook(@Req() { rawBody }: { rawBody?: Buffer }) {
    return { raw: rawBody?.toString() ?? null };
  }
}

function withHost(): DynamicModule {
  return { ...scripted(), controllers: [HostController] };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: any;
}

interface Sent {
  readonly body: string | Buffer;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  /** Without a Content-Length. */
  readonly chunked?: boolean;
  readonly agent?: Agent;
}

/** Posts bytes as they are. */
async function post(
  base: string,
  path: string,
  { body, type, headers, chunked, agent }: Sent,
): Promise<Reply> {
  const outgoing = request(`${base}${path}`, {
    method: 'POST',
    agent,
    headers: {
      'a2a-version': '1.0',
      'content-type': type ?? 'application/json',
      ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode!, headers: response.headers, text, json: JSON.parse(text) };
}

const restBody = (text: string) => JSON.stringify(M(text));
const rpcBody = (text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendMessage', params: M(text) });

const REST = '/a2a/rest/message:send';
const RPC = '/a2a/jsonrpc';

describe.concurrent.each(PLATFORMS)('B09: bodies on %s', (platform) => {
  const hosts: [string, StartOptions][] = [
    ['as it comes', {}],
    ['that parses no bodies', { bodyParser: false }],
    ['that keeps raw bodies', { rawBody: true }],
    ['with limits of its own', { configure: (app) => limitHost(app as NestFastifyApplication, platform) }],
  ];

  it.each(hosts)('are read as any JSON type in an application %s', async (_how, options) => {
    const running = await start(platform, withHost(), options);
    for (const type of JSON_TYPES) {
      const overRest = await post(running.base, REST, { body: restBody('quick'), type });
      expect(overRest.status, type).toBe(200);
      expect(overRest.json.task.artifacts[0].parts[0].text).toBe('Hello, quick');
      const overRpc = await post(running.base, RPC, { body: rpcBody('quick'), type });
      expect(overRpc.status, type).toBe(200);
      expect(overRpc.json.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    }
    const big = await post(running.base, REST, { body: restBody('x'.repeat(200_000)) });
    expect(big.status).toBe(200);
    await stop(running);
  });

  it("leave the host's own routes their parser, limits and raw bodies", async () => {
    const raw = await start(platform, withHost(), { rawBody: true });
    expect((await post(raw.base, '/host/webhook', { body: '{ "a":1 }' })).json).toEqual({ raw: '{ "a":1 }' });
    expect((await post(raw.base, '/host/echo', { body: '{"a":1}' })).json).toEqual({ body: { a: 1 } });
    const foreign = await post(raw.base, '/host/echo', { body: '{"a":1}', type: 'application/a2a+json' });
    expect(foreign.json.body ?? null).toBeNull();
    await stop(raw);
    const limited = await start(platform, withHost(), {
      configure: (app) => limitHost(app as NestFastifyApplication, platform),
    });
    const tooBig = { body: JSON.stringify({ a: 'x'.repeat(5_000) }) };
    expect((await post(limited.base, '/host/echo', tooBig)).status).toBe(413);
    expect((await post(limited.base, '/host/echo', { body: '{"a":1}' })).json).toEqual({ body: { a: 1 } });
    await stop(limited);
  });

  it('of other types are refused in the shape of the binding', async () => {
    const running = await start(platform, withHost());
    const before = await listTasks(running.base);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'nonsense',
      '',
    ]) {
      const overRest = await post(running.base, REST, { body: restBody('quick'), type });
      expect(overRest.status, type).toBe(415);
      expect(overRest.json.error.details, type).toMatchObject([{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }]);
      const overRpc = await post(running.base, RPC, { body: rpcBody('quick'), type });
      expect(overRpc.json.error, type).toMatchObject({ code: -32005 });
    }
    expect(await listTasks(running.base)).toEqual(before);
    await stop(running);
  });
});

/** 1 KiB for the JSON of the host. */
function limitHost(app: NestFastifyApplication, platform: Platform): void {
  if (platform === 'fastify') app.useBodyParser('application/json', { bodyLimit: 1_024 });
  else
    (app as unknown as { useBodyParser(type: string, options: object): void }).useBodyParser('json', {
      limit: 1_024,
    });
}

describe.each(PLATFORMS)('B10: the size of bodies on %s', (platform) => {
  let running: Running;
  let agent: Agent;
  const sockets = new Set<unknown>();
  beforeAll(async () => void (running = await start(platform, scripted())));
  afterAll(() => stop(running));
  afterEach(() => agent.destroy());

  const connect = () => {
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agent.on('free', (socket) => sockets.add(socket));
    sockets.clear();
  };

  /** A file part that makes the whole body this long. */
  function sized(bytes: number, wrap: (params: object) => object): string {
    const whole = (raw: string) =>
      JSON.stringify(wrap(M('', { message: { parts: [{ text: 'quick' }, { raw }] } })));
    const room = bytes - whole('').length;
    // Base64 comes in fours; what is left over is white space.
    return whole('A'.repeat(room - (room % 4))) + ' '.repeat(room % 4);
  }
  const asRest = (params: object) => params;
  const asRpc = (params: object) => ({ jsonrpc: '2.0', id: 7, method: 'SendMessage', params });

  it.each([150_000, 5_000_000, LIMIT])('%i bytes are taken', async (bytes) => {
    connect();
    const overRest = await post(running.base, REST, { body: sized(bytes, asRest), agent });
    expect(overRest.status).toBe(200);
    expect(overRest.json.task.status.state).toBe('TASK_STATE_COMPLETED');
    const overRpc = await post(running.base, RPC, { body: sized(bytes, asRpc), agent, chunked: true });
    expect(overRpc.json.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it.each([false, true])(
    'one byte more is refused on a connection that goes on; chunked: %s',
    async (chunked) => {
      connect();
      const overRest = await post(running.base, REST, { body: sized(LIMIT + 1, asRest), agent, chunked });
      expect(overRest.status).toBe(413);
      expect(overRest.json.error).toMatchObject({
        code: 413,
        message: expect.any(String),
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'a2a-protocol.org' }],
      });
      const overRpc = await post(running.base, RPC, { body: sized(LIMIT + 1, asRpc), agent, chunked });
      expect(overRpc.status).toBe(413);
      expect(overRpc.json).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
      for (const { text } of [overRest, overRpc]) expect(text).not.toMatch(/<html|node_modules|\.[jt]s:\d/i);
      expect((await post(running.base, REST, { body: restBody('quick'), agent })).status).toBe(200);
      expect(sockets.size).toBe(1);
    },
  );

  it('packed bodies are refused, so that none can burst', async () => {
    connect();
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    expect(bomb.length).toBeLessThan(100_000);
    for (const encoding of ['gzip', 'deflate', 'br', 'GZip']) {
      const headers = { 'content-encoding': encoding };
      const overRest = await post(running.base, REST, { body: bomb, agent, headers });
      expect(overRest.status, encoding).toBe(415);
      expect(overRest.json.error.details).toMatchObject([{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }]);
      const overRpc = await post(running.base, RPC, { body: bomb, agent, headers });
      expect(overRpc.json.error, encoding).toMatchObject({ code: -32005 });
    }
    expect((await post(running.base, REST, { body: restBody('quick'), agent })).status).toBe(200);
  });
});
