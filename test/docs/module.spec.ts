import { readFile } from 'node:fs/promises';
import { AgentRegistry, IdGenerator } from 'nest-a2a';
import { beforeAll, describe, expect, it } from 'vitest';
import { resolveOptions } from '../../lib/interfaces/resolve-options.js';
import { M } from '../support/message.js';
import { agentModule } from './agent-module.js';
import { PLATFORMS, serve } from './serve.js';
import { exportsOf } from './snippets.js';

const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' };

describe.each(PLATFORMS)('the guide to the module, on %s', (platform) => {
  let guide: any;
  beforeAll(async () => {
    guide = await exportsOf('module');
  });

  it('shows two agents and where they and their cards are', async () => {
    await using served = await serve(platform, guide.AppModule, {
      configure: (app) => app.setGlobalPrefix('api'),
    });
    const card = async (path: string) => {
      const answer = await fetch(`${served.base}${path}/.well-known/agent-card.json`);
      return answer.status === 200 ? ((await answer.json()) as any) : answer.status;
    };
    const orders = await card('');
    expect(orders.name).toBe('Orders');
    expect(orders.supportedInterfaces.map(({ url }: { url: string }) => url)).toEqual([
      'https://api.example.com/api/agents/orders/jsonrpc',
      'https://api.example.com/api/agents/orders/rest',
    ]);
    expect(await card('/api/agents/orders')).toEqual(orders);
    expect(await card('/agents/orders')).toEqual(orders);
    const billing = await card('/api/agents/billing');
    expect(billing.supportedInterfaces).toMatchObject([{ protocolBinding: 'HTTP+JSON' }]);
    const send = (path: string) =>
      fetch(`${served.base}${path}`, { method: 'POST', headers, body: JSON.stringify(M('hi')) });
    expect((await send('/api/agents/billing/rest/message:send')).status).toBe(200);
    expect((await send('/api/agents/billing/rest/tenant/message:send')).status).toBe(200);
    expect((await send('/api/agents/billing/jsonrpc')).status).toBe(404);
  });

  it('says what cards carry', async () => {
    await using served = await serve(platform, agentModule([guide.OrderAgent]));
    const url = `${served.base}/.well-known/agent-card.json`;
    const first = await fetch(url);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"/);
    expect(first.headers.get('cache-control')).toContain('max-age=3600');
    expect(first.headers.get('last-modified')).toBeTruthy();
    const [{ url: reached }] = ((await first.json()) as any).supportedInterfaces;
    expect(reached).toBe(`${served.base}/a2a/jsonrpc`);
    expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  it('serves the card of a lone agent, or of none of several, at the origin', async () => {
    const two = agentModule([
      { agent: guide.OrderAgent, path: 'orders' },
      { agent: guide.OrderAgent, path: 'more', id: 'more', options: { name: 'More' } },
    ]);
    await using served = await serve(platform, two);
    expect((await fetch(`${served.base}/.well-known/agent-card.json`)).status).toBe(404);
    const more = await fetch(`${served.base}/more/.well-known/agent-card.json`);
    expect(await more.json()).toMatchObject({ name: 'More' });
    const lone = agentModule([{ agent: guide.OrderAgent, path: '', wellKnown: false }]);
    await using other = await serve(platform, lone);
    expect((await fetch(`${other.base}/rest/tasks`, { headers })).status).toBe(200);
  });

  it('derives the URLs of the card from forwarded headers only where they are trusted', async () => {
    const forwarded = {
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'shop.test',
      'X-Forwarded-Prefix': '/agents',
    };
    const urlOf = async (trustForwardedHeaders: boolean) => {
      await using served = await serve(platform, agentModule([guide.OrderAgent], { trustForwardedHeaders }));
      const card = await fetch(`${served.base}/.well-known/agent-card.json`, { headers: forwarded });
      return ((await card.json()) as any).supportedInterfaces[0].url as string;
    };
    expect(await urlOf(true)).toBe('https://shop.test/agents/a2a/jsonrpc');
    expect(await urlOf(false)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/a2a\/jsonrpc$/);
  });

  it('serves nothing with controllers: false', async () => {
    const { A2AModule } = await import('nest-a2a');
    class WorkerModule {}
    const root = {
      module: WorkerModule,
      imports: [A2AModule.forRoot({ controllers: false }), A2AModule.forFeature([guide.OrderAgent])],
      providers: [guide.OrderAgent],
    };
    await using served = await serve(platform, root);
    expect((await fetch(`${served.base}/a2a/rest/tasks`, { headers })).status).toBe(404);
    expect((await fetch(`${served.base}/.well-known/agent-card.json`)).status).toBe(404);
    expect(served.app.get(AgentRegistry).list()).toHaveLength(1);
  });

  it('replaces a port by a class', async () => {
    class RootModule {}
    const imports = [guide.root];
    await using served = await serve(platform, { module: RootModule, imports });
    expect(served.app.get(IdGenerator).taskId()).toHaveLength(8);
  });
});

/** The rows of a guide's tables: what stands in the first column between backticks, and the second column. */
async function rowsOf(guide: string): Promise<Record<string, string>> {
  const text = await readFile(new URL(`../../docs/guides/${guide}`, import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([\w.]+)`(?: \(extra\))? +\| (.*?) +\|/gm)];
  return Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value]));
}

describe('the tables of options', () => {
  it('name every option of a sender with its default', async () => {
    const options = Object.entries(resolveOptions({}).push).map(([name, value]) => [name, show(value)]);
    expect(await rowsOf('push.md')).toMatchObject(Object.fromEntries(options));
  });

  it('name every limit with its default', async () => {
    const text = await readFile(new URL('../../docs/guides/limits.md', import.meta.url), 'utf8');
    for (const [name, value] of Object.entries(resolveOptions({}).limits)) {
      const row = text
        .split('\n')
        .find((line) => line.startsWith('|') && line.includes(`\`limits.${name}\``));
      expect(row, name).toContain(String(value).replace(/(\d)(?=(\d{3})+$)/g, '$1 '));
    }
  });

  it('name every other option with its default', async () => {
    const told = await rowsOf('module.md');
    const { publicUrl: _, push: __, limits: ___, ...options } = resolveOptions({});
    const flat = Object.entries<unknown>(options).flatMap(([name, value]): [string, unknown][] =>
      typeof value === 'object' && value !== null
        ? Object.entries<unknown>({ ...value }).map(([member, inner]) => [`${name}.${member}`, inner])
        : [[name, value]],
    );
    const expected = flat.map(([name, value]) => [name, show(value)] as const);
    expect(told).toEqual({
      ...Object.fromEntries(expected),
      path: 'none',
      isGlobal: '`true`',
      controllers: '`true`',
      publicUrl: 'from each request',
      'retention.finishedTtlMs': 'by the store',
      'retention.maxFinished': 'by the store',
    });
  });
});

function show(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `\`${item}\``).join(', ');
  return typeof value === 'string' ? `\`'${value}'\`` : `\`${String(value)}\``;
}
