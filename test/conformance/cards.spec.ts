import { RequestMethod } from '@nestjs/common';
import { AgentExecutor, type AgentCard, type AgentInterface, type RequestContext, Skill } from 'nest-a2a';
import { afterEach, describe, expect, it } from 'vitest';
import { M } from '../support/message.js';
import { type AppSetup, PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { type Binding, Peer } from './support/peer.js';

@Skill({ id: 'hi', name: 'Hi', description: 'Says hi', tags: ['test'] })
@AgentExecutor({ name: 'Greeter', description: 'Says hi', version: '1' })
class Greeter {
  execute(_: RequestContext): string {
    return 'Hi';
  }
}

const WELL_KNOWN = '/.well-known/agent-card.json';

describe.each(PLATFORMS)('cards on %s', (platform) => {
  let served: ServedApp | undefined;

  afterEach(async () => {
    await served?.close();
    served = undefined;
  });

  async function serve(setup: Partial<AppSetup> = {}): Promise<ServedApp> {
    return (served = await serveApp(platform, { agents: [Greeter], ...setup }));
  }

  async function cardAt(path: string, headers: Record<string, string> = {}): Promise<AgentCard> {
    const response = await fetch(served!.base + path, { headers });
    expect(response.status, path).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    return (await response.json()) as AgentCard;
  }

  const urlsOf = (card: AgentCard) => card.supportedInterfaces.map(({ url }) => url);

  it.each([
    ['https://api.example.com', 'https://api.example.com/v1/base/a2a'],
    ['https://api.example.com/', 'https://api.example.com/v1/base/a2a'],
    ['https://api.example.com/agents', 'https://api.example.com/agents/v1/base/a2a'],
    ['https://api.example.com/agents//', 'https://api.example.com/agents/v1/base/a2a'],
    ['https://api.example.com:8443/x/y/', 'https://api.example.com:8443/x/y/v1/base/a2a'],
  ])(
    'D22 publicUrl %s gives exact URLs, with prefix and path and no slash too many',
    async (publicUrl, url) => {
      await serve({ options: { publicUrl, path: 'base' }, configure: (app) => app.setGlobalPrefix('v1') });
      const card = await cardAt(WELL_KNOWN, {
        'x-forwarded-host': 'evil.example.com',
        host: 'evil.example.com',
      });
      expect(urlsOf(card)).toEqual([`${url}/jsonrpc`, `${url}/rest`]);
    },
  );

  it('D22 forwarded headers count only where they are trusted', async () => {
    const forwarded = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.example.com',
      'x-forwarded-prefix': '/agents',
    };
    await serve();
    const plain = await cardAt(WELL_KNOWN, forwarded);
    expect(urlsOf(plain)).toEqual([`${served!.base}/a2a/jsonrpc`, `${served!.base}/a2a/rest`]);
    await served!.close();
    await serve({ options: { trustForwardedHeaders: true } });
    expect(urlsOf(await cardAt(WELL_KNOWN, forwarded))).toEqual([
      'https://api.example.com/agents/a2a/jsonrpc',
      'https://api.example.com/agents/a2a/rest',
    ]);
  });

  it.each([
    'ftp://x',
    'api.example.com',
    '/agents',
    'https://user:pw@example.com',
    'https://example.com/?a=b',
  ])('D22 publicUrl %j does not boot', async (publicUrl) => {
    await expect(serve({ options: { publicUrl } })).rejects.toThrow(/publicUrl/);
  });

  it.each<[string, Partial<AppSetup>, string]>([
    ['plain', {}, ''],
    ['with a global prefix', { configure: (app) => app.setGlobalPrefix('api/v2') }, 'api/v2/'],
    ['with a path', { options: { path: 'agents' } }, 'agents/'],
    [
      'with a prefix that spares the agents',
      {
        configure: (app) =>
          app.setGlobalPrefix('api', {
            exclude: [{ path: 'a2a/*path', method: RequestMethod.ALL }, 'a2a/jsonrpc'],
          }),
      },
      '',
    ],
  ])('D24 %s, the card is at the origin and at the agent, and its URLs work', async (_, setup, prefix) => {
    await serve(setup);
    const card = await cardAt(WELL_KNOWN);
    expect(await cardAt(`/${prefix}a2a${WELL_KNOWN}`)).toEqual(card);
    expect(urlsOf(card)).toEqual([
      `${served!.base}/${prefix}a2a/jsonrpc`,
      `${served!.base}/${prefix}a2a/rest`,
    ]);
    for (const { url, protocolBinding } of card.supportedInterfaces as AgentInterface[]) {
      const peer = new Peer(url.replace(/\/(jsonrpc|rest)$/, ''), protocolBinding as Binding);
      expect((await peer.ok('SendMessage', M('hello'))).message.parts).toEqual([{ text: 'Hi' }]);
    }
  });

  it('D24 the card needs no version, no body and no sign-in, and is not found elsewhere', async () => {
    await serve({ configure: (app) => app.setGlobalPrefix('api') });
    const head = await fetch(served!.base + WELL_KNOWN, { method: 'HEAD' });
    expect(head.status).toBe(200);
    const tag = head.headers.get('etag');
    expect(tag).toMatch(/^"/);
    const again = await fetch(served!.base + WELL_KNOWN, { headers: { 'if-none-match': tag! } });
    expect(again.status).toBe(304);
    expect((await fetch(`${served!.base}/api${WELL_KNOWN}`)).status).toBe(404);
  });

  it('D24 of several agents each has its card, and one that is chosen is at the origin', async () => {
    await serve({
      agents: [
        { agent: Greeter, path: 'a', id: 'a', options: { name: 'A' } },
        { agent: Greeter, path: 'b', id: 'b', options: { name: 'B' }, wellKnown: true },
      ],
    });
    expect((await cardAt(WELL_KNOWN)).name).toBe('B');
    expect((await cardAt(`/a${WELL_KNOWN}`)).name).toBe('A');
    expect(urlsOf(await cardAt(`/b${WELL_KNOWN}`))).toEqual([
      `${served!.base}/b/jsonrpc`,
      `${served!.base}/b/rest`,
    ]);
  });

  it('says version 1.0 for each interface, in the order that is served', async () => {
    await serve({ agents: [{ agent: Greeter, bindings: ['HTTP+JSON', 'JSONRPC'] }] });
    const { supportedInterfaces } = await cardAt(WELL_KNOWN);
    expect(
      supportedInterfaces.map(({ protocolBinding, protocolVersion }) => [protocolBinding, protocolVersion]),
    ).toEqual([
      ['HTTP+JSON', '1.0'],
      ['JSONRPC', '1.0'],
    ]);
  });
});
