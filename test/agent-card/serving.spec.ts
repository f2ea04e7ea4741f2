import {
  Controller,
  Get,
  Injectable,
  VersioningType,
  type CanActivate,
  type INestApplication,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AgentRegistry } from '../../lib/interfaces/agent-registry.js';
import type { A2AModuleExtras, A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import type { AgentCard } from '../../lib/protocol/model.js';
import { A2AModule } from '../../lib/a2a.module.js';
import { Test } from '@nestjs/testing';
import { BillingAgent, OrderAgent, silence } from '../module/fixtures.js';

const ORIGIN = '/.well-known/agent-card.json';

@Injectable()
class NobodyGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Controller()
class CatchAllController {
  @Get('*')
  answer(): string {
    return 'catch-all';
  }
}

interface Setup {
  readonly options?: A2AModuleOptions & A2AModuleExtras;
  readonly agents?: Parameters<typeof A2AModule.forFeature>[0];
  readonly prepare?: (app: INestApplication) => void;
}

describe.each([
  ['Fastify', () => new FastifyAdapter()],
  ['Express', () => new ExpressAdapter()],
])('the card on %s', (platform, adapter) => {
  let app: INestApplication | undefined;
  let origin: string;

  beforeAll(silence);
  afterEach(() => app?.close());

  async function start({ options = {}, agents = [OrderAgent], prepare }: Setup = {}): Promise<void> {
    const module = await Test.createTestingModule({
      imports: [A2AModule.forRoot(options), A2AModule.forFeature(agents)],
      providers: [OrderAgent, BillingAgent, { provide: APP_GUARD, useClass: NobodyGuard }],
    }).compile();
    app = module.createNestApplication(adapter());
    prepare?.(app);
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
  }

  const get = (path: string, init: RequestInit = {}) => fetch(origin + path, init);
  const cardAt = async (path: string, init?: RequestInit) =>
    (await (await get(path, init)).json()) as AgentCard;
  const urlsAt = async (path: string, init?: RequestInit) =>
    (await cardAt(path, init)).supportedInterfaces.map(({ url }) => url);

  it('is served with everything that caches need, whatever guards the host has', async () => {
    await start({ options: { cardMaxAge: 60 } });
    const response = await get(ORIGIN);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(response.headers.get('etag')).toMatch(/^"[\w-]+"$/);
    expect(response.headers.get('vary')).toBe('Host');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(Date.parse(response.headers.get('last-modified')!)).toBeLessThanOrEqual(Date.now());
    const text = await response.text();
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect((JSON.parse(text) as AgentCard).name).toBe('Order desk');
  });

  it('is answered to HEAD without a body', async () => {
    await start();
    const [head, whole] = [await get(ORIGIN, { method: 'HEAD' }), await get(ORIGIN)];
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    for (const name of ['etag', 'content-type', 'cache-control', 'content-length']) {
      expect(head.headers.get(name), name).toBe(whole.headers.get(name));
    }
  });

  it('is not sent again to those who have it', async () => {
    await start();
    const { headers } = await get(ORIGIN);
    const etag = headers.get('etag')!;
    const lastModified = headers.get('last-modified')!;
    const earlier = new Date(Date.parse(lastModified) - 1_000).toUTCString();
    const statusOf = async (sent: Record<string, string>) => (await get(ORIGIN, { headers: sent })).status;
    expect(await statusOf({ 'If-None-Match': etag })).toBe(304);
    expect(await statusOf({ 'If-None-Match': `"other", W/${etag}` })).toBe(304);
    expect(await statusOf({ 'If-None-Match': '*' })).toBe(304);
    expect(await statusOf({ 'If-None-Match': '"other"' })).toBe(200);
    expect(await statusOf({ 'If-Modified-Since': lastModified })).toBe(304);
    expect(await statusOf({ 'If-Modified-Since': earlier })).toBe(200);
    expect(await statusOf({ 'If-Modified-Since': 'yesterday' })).toBe(200);
    expect(await statusOf({ 'If-None-Match': '"other"', 'If-Modified-Since': lastModified })).toBe(200);
    const unchanged = await get(ORIGIN, { headers: { 'If-None-Match': etag } });
    expect(await unchanged.text()).toBe('');
    expect(unchanged.headers.get('etag')).toBe(etag);
    expect(unchanged.headers.get('cache-control')).toBe('public, max-age=3600');
    expect((await get(ORIGIN, { method: 'HEAD', headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  it('follows the Host header when there is no publicUrl', async () => {
    await start();
    expect(await urlsAt(ORIGIN)).toEqual([`${origin}/a2a/jsonrpc`, `${origin}/a2a/rest`]);
    const forwarded = { headers: { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' } };
    expect(await urlsAt(ORIGIN, forwarded)).toEqual([`${origin}/a2a/jsonrpc`, `${origin}/a2a/rest`]);
    expect(app!.get(AgentRegistry).get('OrderAgent').card.supportedInterfaces[0]!.url).toBe(
      `${origin}/a2a/jsonrpc`,
    );
  });

  it('follows forwarded headers where they are trusted', async () => {
    await start({ options: { trustForwardedHeaders: true } });
    const headers = {
      'X-Forwarded-Host': 'api.example.com',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Prefix': '/p',
    };
    const [url] = await urlsAt(ORIGIN, { headers });
    expect(url).toBe('https://api.example.com/p/a2a/jsonrpc');
    expect((await get(ORIGIN)).headers.get('vary')).toContain('X-Forwarded-Host');
  });

  it('says publicUrl, global prefix, module path and agent path, and can be fetched there and at the origin', async () => {
    await start({
      options: { publicUrl: 'https://api.example.com/proxy/', path: '/agents/' },
      prepare: (nest) => nest.setGlobalPrefix('/api/'),
    });
    const urls = ['jsonrpc', 'rest'].map((name) => `https://api.example.com/proxy/api/agents/a2a/${name}`);
    expect(await urlsAt(ORIGIN)).toEqual(urls);
    expect(await urlsAt(`/api/agents/a2a${ORIGIN}`)).toEqual(urls);
    expect(await urlsAt(`/agents/a2a${ORIGIN}`)).toEqual(urls);
    expect((await get(`/api${ORIGIN}`)).status).toBe(404);
    expect((await get(ORIGIN)).headers.get('vary')).toBeNull();
  });

  it('names URLs at which the routes are, under prefix and versioning', async () => {
    await start({
      options: { path: 'agents' },
      prepare: (nest) => {
        nest.setGlobalPrefix('api');
        nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
      },
    });
    for (const url of await urlsAt(ORIGIN)) {
      const response = await fetch(`${url}/tasks`, { method: 'POST', body: '{}' });
      // NobodyGuard: the route is there, and an ordinary controller's.
      expect(response.status, url).toBe(403);
    }
  });

  it('leaves the prefix out where the host excludes the agents from it', async () => {
    await start({ prepare: (nest) => nest.setGlobalPrefix('api', { exclude: ['a2a/{*path}'] }) });
    const [url] = await urlsAt(ORIGIN);
    expect(url).toBe(`${origin}/a2a/jsonrpc`);
    expect((await fetch(url!, { method: 'POST' })).status).toBe(403);
  });

  it('is one for each of several agents, and at the origin for the one that owns it', async () => {
    await start({
      agents: [
        { agent: OrderAgent, path: 'a' },
        { agent: BillingAgent, path: 'b', wellKnown: true },
        { agent: OrderAgent, path: 'c', id: 'third', options: { name: 'Third' } },
      ],
    });
    const names = await Promise.all(
      ['/a', '/b', '/c', ''].map(async (path) => (await cardAt(path + ORIGIN)).name),
    );
    expect(names).toEqual(['Order desk', 'Billing', 'Third', 'Billing']);
  });

  it('is not at the origin when nobody owns it', async () => {
    await start({ agents: [{ agent: OrderAgent, wellKnown: false }] });
    expect((await get(ORIGIN)).status).toBe(404);
    expect((await get(`/a2a${ORIGIN}`)).status).toBe(200);
  });

  it('is readable from every origin with cors: true', async () => {
    await start({ options: { cors: true } });
    const response = await get(ORIGIN, { headers: { Origin: 'https://app.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('ETag');
    const preflight = await get(ORIGIN, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'a2a-version,if-none-match',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('a2a-version,if-none-match');
  });

  it('is readable from the listed origins only', async () => {
    await start({ options: { cors: { origin: ['https://app.example'] } } });
    const allowed = await get(ORIGIN, { headers: { Origin: 'https://app.example' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(allowed.headers.get('vary')).toBe('Host, Origin');
    const denied = await get(ORIGIN, { headers: { Origin: 'https://evil.example' } });
    expect(denied.status).toBe(200);
    expect(denied.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await get(ORIGIN, { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect(preflight.headers.get('access-control-allow-methods')).toBeNull();
  });

  it('is not served, and nothing else, with controllers: false', async () => {
    await start({ options: { controllers: false } });
    for (const path of [ORIGIN, `/a2a${ORIGIN}`, '/a2a/rest/tasks', '/a2a/jsonrpc']) {
      const response = await get(path);
      expect(response.status, path).toBe(404);
      expect(await response.json()).toMatchObject({ message: `Cannot GET ${path}` });
    }
    const sent = await get('/a2a/jsonrpc', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(sent.status).toBe(404);
  });

  it('stays itself beside a catch-all route', async () => {
    const module = await Test.createTestingModule({
      imports: [A2AModule.forRoot(), A2AModule.forFeature([OrderAgent])],
      providers: [OrderAgent],
      controllers: [CatchAllController],
    }).compile();
    app = module.createNestApplication(adapter());
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
    expect(await (await get('/elsewhere')).text()).toBe('catch-all');
    const text = await (await get(ORIGIN)).text();
    expect(text, platform).toContain('Order desk');
  });
});
