import compression from 'compression';
import type { ExpressAdapter } from '@nestjs/platform-express';
import { Injectable, type CanActivate } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TaskNotFoundError, UnsupportedOperationError } from '../../lib/protocol/errors.js';
import type { StreamResponse } from '../../lib/protocol/model.js';
import {
  FedStream,
  PLATFORMS,
  post,
  rpc,
  sendParams,
  startApp,
  task,
  type AppOptions,
  type TestApp,
} from './harness.js';
import { RawClient } from './sse.js';

const opening: StreamResponse = { task: task() };
const chunk = (text: string): StreamResponse => ({
  artifactUpdate: { taskId: 't1', contextId: 'c1', artifact: { artifactId: 'a', parts: [{ text }] } },
});

describe.each(PLATFORMS)('streams on %s', (platform) => {
  let app: TestApp;
  let source: FedStream;
  let clients: RawClient[];

  const start = async (setup: AppOptions = {}) => {
    app = await startApp(platform, setup);
    app.handler.answers = { sendStreamingMessage: () => source, subscribeToTask: () => source };
  };
  const rest = (path = '/message:stream', body: unknown = sendParams(), headers = {}, verb = 'POST') => {
    const client = new RawClient(
      app.port,
      verb,
      `/a2a/rest${path}`,
      body ? JSON.stringify(body) : '',
      headers,
    );
    clients.push(client);
    return client;
  };
  const jsonRpc = (method = 'SendStreamingMessage', params: unknown = sendParams(), id: unknown = 'q') => {
    const client = new RawClient(app.port, 'POST', '/a2a/jsonrpc', JSON.stringify(rpc(method, params, id)));
    clients.push(client);
    return client;
  };

  beforeEach(() => {
    source = new FedStream();
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) client.socket.destroy();
    source.close();
    await app.close();
  });

  it('writes events with their numbers and the headers of a stream', async () => {
    await start();
    source.push(opening).push(chunk('a'), chunk('b')).end();
    const client = rest();
    const text = await client.ended();
    expect(client.status).toBe(200);
    expect(text).toMatch(/^content-type: text\/event-stream\r$/im);
    expect(text).toMatch(/^cache-control: no-cache, no-transform\r$/im);
    expect(text).toMatch(/^x-accel-buffering: no\r$/im);
    expect(client.ids).toEqual(['1', '2', '3']);
    expect(client.data).toEqual([opening, chunk('a'), chunk('b')]);
    expect(source.closed).toBe(true);
    expect(app.streams.size).toBe(0);
  });

  it('wraps events for JSON-RPC', async () => {
    await start();
    source.push(opening).end();
    const client = jsonRpc();
    await client.ended();
    expect(client.data).toEqual([{ jsonrpc: '2.0', id: 'q', result: opening }]);
  });

  it.each(['GET', 'POST'])('serves %s …:subscribe, after Last-Event-ID', async (verb) => {
    await start();
    source.push(opening).end();
    await rest(
      '/tasks/a:b:subscribe',
      verb === 'POST' ? {} : undefined,
      { 'Last-Event-ID': '42' },
      verb,
    ).ended();
    expect(app.handler.calls).toMatchObject([
      { method: 'subscribeToTask', request: { id: 'a:b' }, lastEventId: 42 },
    ]);
  });

  it('ignores a Last-Event-ID that is none, and on sends', async () => {
    await start();
    source.push(opening).end();
    await rest('/tasks/x:subscribe', {}, { 'Last-Event-ID': 'abc' }).ended();
    source = new FedStream().push(opening).end();
    await rest('/message:stream', sendParams(), { 'Last-Event-ID': '1' }).ended();
    expect(app.handler.calls.map((call) => call.lastEventId)).toEqual([undefined, undefined]);
  });

  it('tells errors before the first event as errors of HTTP', async () => {
    await start();
    app.handler.answers['subscribeToTask'] = () => {
      throw new UnsupportedOperationError();
    };
    const refused = await post(`${app.url}/a2a/jsonrpc`, rpc('SubscribeToTask', { id: 'x' }));
    expect(refused.response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(refused.json).toMatchObject({ id: 1, error: { code: -32004 } });
    app.handler.answers['subscribeToTask'] = () => source.fail(new TaskNotFoundError());
    const unknown = await post(`${app.url}/a2a/rest/tasks/x:subscribe`, '');
    expect(unknown).toMatchObject({
      status: 404,
      json: { error: { details: [{ reason: 'TASK_NOT_FOUND' }] } },
    });
    expect(app.streams.size).toBe(0);
    expect(source.closed).toBe(true);
  });

  it('never answers a stream without events by an empty body', async () => {
    await start();
    source.end();
    const { status, json } = await post(`${app.url}/a2a/rest/message:stream`, sendParams());
    expect([status, json.error.status]).toEqual([503, 'UNAVAILABLE']);
  });

  it("tells a failure of the server in the binding's shape", async () => {
    await start();
    source.push(opening).fail(new Error('store at db.internal is down'));
    const byRpc = jsonRpc();
    const text = await byRpc.ended();
    expect(byRpc.data).toMatchObject([
      { result: opening },
      { jsonrpc: '2.0', id: 'q', error: { code: -32603 } },
    ]);
    source = new FedStream().push(opening).fail(new Error('store at db.internal is down'));
    const byRest = rest();
    await byRest.ended();
    expect(byRest.data).toMatchObject([opening, { error: { code: 500, status: 'INTERNAL' } }]);
    expect(text + byRest.text).not.toMatch(/db\.internal|event: error/);
  });

  it('sends every batch as it comes', async () => {
    await start();
    source.push(opening);
    const client = rest();
    await client.until(/id: 1\n/);
    source.push(chunk('a'));
    await client.until(/id: 2\n/);
    expect(app.streams.size).toBe(1);
  });

  it.runIf(platform === 'express')('is not held back by compression', async () => {
    await start({
      configure: (host) => (host as unknown as ExpressAdapter).use(compression({ threshold: 0 })),
    });
    source.push(opening);
    const client = rest('/message:stream', sendParams(), { 'Accept-Encoding': 'gzip' });
    await client.until(/id: 1\n/);
    source.push(chunk('a'));
    await client.until(/id: 2\n/);
  });

  it('keeps silent streams alive with comments', async () => {
    await start({ options: { transport: { keepAliveMs: 40 } } });
    source.push(opening);
    const client = rest();
    await client.until(/\r\n:\n\n\r\n[^]*\r\n:\n\n\r\n/);
    expect(client.ids).toEqual(['1']);
  });

  it('ends subscriptions that are idle for too long, and only those', async () => {
    await start({ options: { transport: { maxSubscribeIdleSeconds: 0.1 } } });
    source.push(opening);
    const sent = rest();
    await sent.until(/id: 1\n/);
    const subscribed = new FedStream().push(opening);
    app.handler.answers['subscribeToTask'] = () => subscribed;
    await rest('/tasks/x:subscribe', {}).ended();
    expect(subscribed.closed).toBe(true);
    expect(source.closed).toBe(false);
  });

  it('lets go when the client leaves', async () => {
    await start();
    source.push(opening);
    const client = rest();
    await client.until(/id: 1\n/);
    client.socket.destroy();
    await vi.waitFor(() => expect(source.closed).toBe(true));
    expect(app.streams.size).toBe(0);
  });

  it('lets go when the client left while a guard was at work', async () => {
    let release!: () => void;
    let entered!: () => void;
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const opened = new Promise<void>((resolve) => (release = resolve));
    @Injectable()
    class SlowGuard implements CanActivate {
      async canActivate() {
        entered();
        await opened;
        return true;
      }
    }
    await start({ module: { providers: [{ provide: APP_GUARD, useClass: SlowGuard }] } });
    const client = rest();
    await inside;
    client.socket.destroy();
    await new Promise((resolve) => client.socket.once('close', resolve));
    // The server learns of it a little later than the client does.
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    await vi.waitFor(() => expect(app.handler.calls).toHaveLength(1));
    await vi.waitFor(() => expect(source.closed).toBe(true));
    expect(app.streams.size).toBe(0);
  });

  it('lets go when the client left while the first event was awaited', async () => {
    await start();
    const client = rest();
    await vi.waitFor(() => expect(app.streams.size).toBe(1));
    client.socket.destroy();
    await vi.waitFor(() => expect(source.closed).toBe(true));
    expect(app.streams.size).toBe(0);
  });

  it('reads on only when the client does, and destroys a socket that takes nothing', async () => {
    await start({ options: { transport: { writeTimeoutMs: 300 } } });
    const big = chunk('x'.repeat(1_000_000));
    source.push(opening);
    for (let i = 0; i < 200; i++) source.push(big);
    const client = rest();
    client.socket.pause();
    await vi.waitFor(() => expect(source.closed).toBe(true), { timeout: 5_000 });
    expect(source.waiting).toBeGreaterThan(150);
    expect(app.streams.size).toBe(0);
  });

  it('gives a slow reader the whole of it', async () => {
    await start({ options: { transport: { writeTimeoutMs: 5_000 } } });
    for (let i = 0; i < 30; i++) source.push(chunk('x'.repeat(1_000_000)));
    source.end();
    const client = rest();
    client.socket.pause();
    await vi.waitFor(() => expect(source.waiting).toBeLessThan(30));
    client.socket.resume();
    await client.ended();
    expect(client.ids).toHaveLength(30);
  });

  it('closes with the application', async () => {
    await start();
    const sources = Array.from({ length: 5 }, () => new FedStream().push(opening));
    const queue = [...sources];
    app.handler.answers['sendStreamingMessage'] = () => queue.shift();
    const open = sources.map(() => rest());
    await Promise.all(open.map((client) => client.until(/id: 1\n/)));
    const began = Date.now();
    await app.close();
    expect(Date.now() - began).toBeLessThan(2_000);
    expect(sources.every((each) => each.closed)).toBe(true);
    expect(app.streams.size).toBe(0);
    await Promise.all(open.map((client) => client.ended()));
    for (const client of open) expect(client.text).toMatch(/\r\n0\r\n\r\n$/);
  });

  it('closes with the application although a client does not read', async () => {
    await start();
    for (let i = 0; i < 50; i++) source.push(chunk('x'.repeat(1_000_000)));
    const client = rest();
    client.socket.pause();
    await vi.waitFor(() => expect(source.waiting).toBeLessThan(50));
    const began = Date.now();
    await app.close();
    expect(Date.now() - began).toBeLessThan(2_500);
  });

  it('opens no stream while it shuts down', async () => {
    await start();
    source.push(opening);
    await app.streams.closeAll();
    const { status, response } = await post(`${app.url}/a2a/rest/message:stream`, sendParams());
    expect(status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(source.closed).toBe(true);
  });
});
