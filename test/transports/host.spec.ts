import { Body, Controller, Get, Post, Req, VersioningType, type ExecutionContext } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { createServer, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Agent } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  card,
  definition,
  get,
  post,
  PLATFORMS,
  rpc,
  sendParams,
  startApp,
  StubAgent,
  type AppOptions,
  type TestApp,
} from './harness.js';

@Controller('host')
class HostController {
  @Post('echo')
  echo(@Body() body: unknown) {
    return { body: body ?? null };
  }

  @Post('raw')
  raw(@Req() request: { rawBody?: Buffer }) {
    return { raw: request.rawBody?.toString() ?? null };
  }

  @Get('fail')
  fail() {
    throw new Error('host');
  }
}

describe.each(PLATFORMS)('beside a host application on %s', (platform) => {
  let running: TestApp | undefined;
  afterEach(() => running?.close());

  const start = async (setup: AppOptions = {}) =>
    (running = await startApp(platform, {
      ...setup,
      module: { controllers: [HostController], ...setup.module },
    }));

  it('reads bodies when the host parses none, and leaves the host without', async () => {
    const { url } = await start({ bodyParser: false });
    expect((await post(`${url}/a2a/jsonrpc`, rpc('GetTask', { id: 'x' }))).json).toHaveProperty('result');
    const echo = await post(`${url}/host/echo`, { a: 1 });
    if (platform === 'express') expect(echo.json).toEqual({ body: null });
  });

  it("keeps the host's parser and raw bodies", async () => {
    const { url } = await start({ rawBody: true });
    expect((await post(`${url}/host/echo`, { a: 1 })).json).toEqual({ body: { a: 1 } });
    expect((await post(`${url}/host/raw`, '{"a": 1}')).json).toEqual({ raw: '{"a": 1}' });
    expect((await post(`${url}/a2a/rest/message:send`, sendParams())).status).toBe(200);
    const big = await post(`${url}/host/echo`, { text: 'x'.repeat(2_000_000) });
    expect(big.status).toBe(413);
    expect(big.json).not.toHaveProperty('error.details');
  });

  it("leaves errors outside its paths to the host's filters", async () => {
    const { url } = await start();
    const unknown = await get(`${url}/nowhere`);
    expect(unknown.json).toMatchObject({ statusCode: 404 });
    expect((await get(`${url}/host/fail`)).json).toMatchObject({ statusCode: 500 });
    expect((await get(`${url}/a2ax/jsonrpc`)).json).toMatchObject({ statusCode: 404 });
  });

  it('takes 150 kB and 5 MB, and refuses more than the limit on a connection that stays usable', async () => {
    const { port, url } = await start();
    for (const size of [150_000, 5_000_000]) {
      expect((await post(`${url}/a2a/rest/message:send`, sendParams('x'.repeat(size)))).status).toBe(200);
    }
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    const send = async (path: string, body: string, chunked = false) => {
      const headers = {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        ...(!chunked && { 'content-length': Buffer.byteLength(body) }),
      };
      const request = httpRequest({ port, host: '127.0.0.1', path, method: 'POST', headers, agent });
      request.on('socket', (socket) => sockets.add(socket));
      request.end(body);
      const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
      let text = '';
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode, json: JSON.parse(text) };
    };
    const tooLarge = JSON.stringify(sendParams('x'.repeat(10 * 1024 * 1024)));
    for (const chunked of [false, true]) {
      expect(await send('/a2a/rest/message:send', tooLarge, chunked)).toMatchObject({
        status: 413,
        json: { error: { code: 413, details: [{ reason: 'PAYLOAD_TOO_LARGE' }] } },
      });
      expect(await send('/a2a/jsonrpc', tooLarge, chunked)).toMatchObject({
        status: 413,
        json: { id: null, error: { code: -32600 } },
      });
      expect((await send('/a2a/rest/message:send', JSON.stringify(sendParams()))).status).toBe(200);
    }
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  it('shows guards the content type that the client sent', async () => {
    const seen: unknown[] = [];
    const guard = {
      canActivate(context: ExecutionContext) {
        seen.push(context.switchToHttp().getRequest<{ headers: object }>().headers);
        return true;
      },
    };
    const { url } = await start({ module: { providers: [{ provide: APP_GUARD, useValue: guard }] } });
    await post(`${url}/a2a/rest/message:send`, sendParams(), { 'Content-Type': 'application/a2a+json' });
    expect(seen).toEqual([expect.objectContaining({ 'content-type': 'application/a2a+json' })]);
  });

  it('counts bytes exactly', async () => {
    const body = JSON.stringify(sendParams('é'));
    const { url } = await start({ options: { transport: { bodyLimit: Buffer.byteLength(body) } } });
    expect((await post(`${url}/a2a/rest/message:send`, body)).status).toBe(200);
    expect((await post(`${url}/a2a/rest/message:send`, `${body} `)).status).toBe(413);
  });

  it('is served under a global prefix and with URI versions', async () => {
    const { url } = await start({
      agents: [definition({ path: 'api/a2a' })],
      configure: (app) =>
        app.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
    });
    expect((await post(`${url}/api/a2a/jsonrpc`, rpc('GetTask', { id: 'x' }))).json).toHaveProperty('result');
    expect((await post(`${url}/api/a2a/rest/message:send`, sendParams())).status).toBe(200);
    expect((await get(`${url}/api/a2a/rest/nope`)).json).toHaveProperty('error.details');
    expect((await post(`${url}/api/v1/host/echo`, { a: 1 })).json).toEqual({ body: { a: 1 } });
  });

  it('follows RouterModule', async () => {
    const { url } = await start({ agents: [definition({ path: 'shop/a2a' })], modulePath: 'shop' });
    expect((await post(`${url}/shop/a2a/jsonrpc`, rpc('GetTask', { id: 'x' }))).json).toHaveProperty(
      'result',
    );
    expect((await post(`${url}/shop/a2a/jsonrpc/`, rpc('GetTask', { id: 'x' }))).json).toHaveProperty(
      'result',
    );
  });

  it('is served when versions are in headers', async () => {
    const { url } = await start({
      configure: (app) =>
        app.enableVersioning({ type: VersioningType.HEADER, header: 'X-Version', defaultVersion: '1' }),
    });
    expect((await post(`${url}/a2a/jsonrpc`, rpc('GetTask', { id: 'x' }))).json).toHaveProperty('result');
  });

  it('is served behind a proxy that strips a path', async () => {
    const { port } = await start();
    const proxy = createServer((incoming, outgoing) => {
      const path = incoming.url!.replace('/outside', '');
      const { method, headers } = incoming;
      const onward = httpRequest({ port, host: '127.0.0.1', path, method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onward);
    }).listen(0);
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/outside/a2a`;
    expect((await post(`${url}/rest/message%3Asend`, sendParams())).status).toBe(200);
    expect((await post(`${url}/jsonrpc`, rpc('GetTask', { id: 'x' }))).json).toHaveProperty('result');
    proxy.close();
  });

  it('keeps agents apart, and their paths apart from tenants', async () => {
    class Other {}
    const { url, handler } = await start({
      agents: [definition({ path: 'a' }), definition({ id: 'Other', target: Other, path: 'b' })],
      features: [
        { agent: StubAgent, path: 'a' },
        { agent: Other, path: 'b' },
      ],
    });
    await post(`${url}/a/rest/t1/message:send`, sendParams());
    await post(`${url}/b/jsonrpc`, rpc('GetTask', { id: 'x' }));
    expect(handler.calls.map(({ call }) => [call.agent, call.tenant])).toEqual([
      ['StubAgent', 't1'],
      ['Other', ''],
    ]);
  });

  it('serves only the bindings that are asked for', async () => {
    const { url } = await start({ features: [{ agent: StubAgent, bindings: ['HTTP+JSON'] }] });
    expect((await post(`${url}/a2a/rest/message:send`, sendParams())).status).toBe(200);
    expect((await post(`${url}/a2a/jsonrpc`, rpc('GetTask'))).json).toMatchObject({ statusCode: 404 });
  });

  it('asks for required extensions and echoes the active ones', async () => {
    const extensions = [{ uri: 'urn:must', required: true }, { uri: 'urn:may' }];
    const { url, handler } = await start({
      agents: [definition({ card: card({ capabilities: { extensions } }) })],
    });
    const refused = await post(`${url}/a2a/jsonrpc`, rpc('SendMessage', sendParams()));
    expect(refused.json.error).toMatchObject({
      code: -32008,
      data: [{ reason: 'EXTENSION_SUPPORT_REQUIRED' }],
    });
    expect(handler.calls).toEqual([]);
    const served = await post(`${url}/a2a/rest/message:send`, sendParams(), {
      'A2A-Extensions': ' urn:must ,urn:none,urn:may',
    });
    expect(served.response.headers.get('a2a-extensions')).toBe('urn:must, urn:may');
    expect(handler.calls[0]!.call.extensions).toEqual(['urn:must', 'urn:may']);
  });

  describe('CORS', () => {
    const asked = {
      Origin: 'https://app.test',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'a2a-version,a2a-extensions,authorization,content-type,last-event-id',
    };

    it('answers preflights and exposes headers when it is on', async () => {
      const { url } = await start({ options: { cors: true } });
      const preflight = await get(`${url}/a2a/jsonrpc`, asked, 'OPTIONS');
      expect(preflight.status).toBe(204);
      expect(preflight.response.headers.get('access-control-allow-origin')).toBe('*');
      expect(preflight.response.headers.get('access-control-allow-headers')).toBe(
        asked['Access-Control-Request-Headers'],
      );
      const answer = await post(`${url}/a2a/rest/message:send`, sendParams(), { Origin: asked.Origin });
      expect(answer.response.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.response.headers.get('access-control-expose-headers')).toMatch(
        /A2A-Extensions.*ETag.*WWW-Authenticate/,
      );
      const outside = await get(`${url}/host/fail`, { Origin: asked.Origin });
      expect(outside.response.headers.get('access-control-allow-origin')).toBeNull();
    });

    it('allows only the listed origins', async () => {
      const { url } = await start({ options: { cors: { origin: ['https://app.test'] } } });
      const origin = async (from: string) =>
        (await get(`${url}/a2a/rest/tasks`, { Origin: from })).response.headers.get(
          'access-control-allow-origin',
        );
      expect(await origin('https://app.test')).toBe('https://app.test');
      expect(await origin('https://evil.test')).toBeNull();
    });

    it('is off by default, and leaves that of the host alone', async () => {
      const off = await start();
      const plain = await get(`${off.url}/a2a/jsonrpc`, asked, 'OPTIONS');
      expect(plain.status).toBe(405);
      expect(plain.response.headers.get('access-control-allow-origin')).toBeNull();
      await off.close();
      const host = await start({
        options: { cors: true },
        configure: (app) => app.enableCors({ origin: 'https://host.test' }),
      });
      const answer = await post(`${host.url}/a2a/rest/message:send`, sendParams(), {
        Origin: 'https://host.test',
      });
      expect(answer.response.headers.get('access-control-allow-origin')).toBe('https://host.test');
    });
  });
});
