import { generateKeyPairSync } from 'node:crypto';
import { AgentCardVerificationError, UnsafeUrlError, PublicUrlGuard, type AgentCard } from 'nest-a2a';
import {
  AgentDiscoveryError,
  ClientTimeoutError,
  createA2AClient,
  UnexpectedAnswerError,
  type A2AClient,
  type A2AClientOptions,
  type AgentAddress,
} from 'nest-a2a/client';
import { afterEach, describe, expect, it } from 'vitest';
import { CardSigning } from '../../../lib/agent-card/card-signing.js';
import { resolveOptions } from '../../../lib/interfaces/resolve-options.js';
import { answerJson, answerRpc, cardWith, Peer, TASK, type PeerHandler, type PeerRequest } from '../peer.js';

const WELL_KNOWN = '/.well-known/agent-card.json';
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function peer(handle: PeerHandler): Promise<Peer> {
  const started = await Peer.start(handle);
  closing.push(() => started.stop());
  return started;
}

function client(agent: string | AgentAddress, options?: A2AClientOptions): A2AClient {
  const made = createA2AClient(agent, options);
  closing.push(() => made.close());
  return made;
}

/** Serves cards at paths, and a task to whoever posts. */
function serving(cards: (base: string) => Readonly<Record<string, unknown>>, headers = {}): Promise<Peer> {
  const self: Promise<Peer> = peer(async (request, response) => {
    if (request.method === 'POST') return answerRpc(request, response, TASK);
    const card = cards((await self).base)[request.url];
    return card ? answerJson(response, card, 200, headers) : response.writeHead(404).end();
  });
  return self;
}

const urls = ({ requests }: Peer): string[] => requests.map(({ url }) => url);
const card = (base: string): AgentCard => cardWith([['JSONRPC', `${base}/rpc`]]);

describe('the card of an agent', () => {
  it.each([
    ['below its URL', '/agents/a', '/agents/a/.well-known/agent-card.json', 1],
    ['below its URL with a slash', '/agents/a/', '/agents/a/.well-known/agent-card.json', 1],
    ['at its origin', '/agents/a', WELL_KNOWN, 2],
    ['below its URL under the old name', '/agents/a', '/agents/a/.well-known/agent.json', 3],
    ['at its origin under the old name', '/agents/a', '/.well-known/agent.json', 4],
    ['at the origin itself', '', WELL_KNOWN, 1],
    ['where the URL says', '/cards/a.json', '/cards/a.json', 1],
  ])('is found %s', async (_, path, place, tries) => {
    const server = await serving((base) => ({ [place]: card(base) }));
    expect((await client(server.base + path).card()).name).toBe('Peer');
    expect(urls(server)).toHaveLength(tries);
    expect(server.requests.every(({ headers }) => headers['a2a-version'] === '1.0')).toBe(true);
  });

  it('is taken from exactly one place when that is named, whatever its name', async () => {
    const server = await serving((base) => ({ '/card': card(base) }));
    await client({ cardUrl: `${server.base}/card` }).card();
    expect(urls(server)).toEqual(['/card']);
    const failure = client({ cardUrl: `${server.base}/other` }).card();
    await expect(failure).rejects.toBeInstanceOf(AgentDiscoveryError);
  });

  it('is not looked for elsewhere when the agent fails', async () => {
    const broken = await peer((_, response) => response.writeHead(500).end());
    await expect(client(broken.base).card()).rejects.toBeInstanceOf(UnexpectedAnswerError);
    expect(broken.requests).toHaveLength(1);
  });

  it('may be given', async () => {
    const server = await serving(() => ({}));
    expect(await client({ card: card(server.base) }).getTask({ id: 't1' })).toEqual(TASK);
    expect(urls(server)).toEqual(['/rpc']);
  });

  it('is fetched again after a failure', async () => {
    let broken = true;
    const server = await peer((_, response) =>
      broken ? response.writeHead(500).end() : answerJson(response, card('http://127.0.0.1:1')),
    );
    const caller = client(server.base);
    await expect(caller.card()).rejects.toThrow();
    broken = false;
    expect((await caller.card()).name).toBe('Peer');
  });

  it('follows redirects within the origin only', async () => {
    const elsewhere = await serving((base) => ({ [WELL_KNOWN]: card(base) }));
    const server: Peer = await peer((request, response) => {
      const target = {
        [WELL_KNOWN]: '/real/card.json',
        '/away.json': elsewhere.base + WELL_KNOWN,
        '/loop.json': '/loop.json',
      };
      const location = target[request.url as keyof typeof target];
      return location ? response.writeHead(302, { location }).end() : answerJson(response, card(server.base));
    });
    expect((await client(server.base).card()).name).toBe('Peer');
    for (const path of ['/away.json', '/loop.json']) {
      const headers = { authorization: 'Bearer s3cr3t-token' };
      await expect(client(server.base + path, { headers }).card()).rejects.toBeInstanceOf(
        AgentDiscoveryError,
      );
    }
    expect(elsewhere.requests).toHaveLength(0);
  });

  it('is waited for no longer than a signal or a limit says', async () => {
    const silent = await peer(() => {});
    const leaving = new AbortController();
    const caller = client(silent.base, { timeouts: { firstByteMs: 150 } });
    const left = caller.getTask({ id: 't1' }, { signal: leaving.signal });
    const waiting = caller.getTask({ id: 't1' }, { retry: { attempts: 1 } });
    leaving.abort(new Error('enough'));
    await Promise.all([
      expect(left).rejects.toThrow('enough'),
      expect(waiting).rejects.toBeInstanceOf(ClientTimeoutError),
    ]);
    expect(silent.requests).toHaveLength(1);
  });
});

describe('a card that was fetched', () => {
  it('is fetched once for all who need it at once, and used while it is fresh', async () => {
    const server = await serving((base) => ({ [WELL_KNOWN]: card(base) }), { 'cache-control': 'max-age=60' });
    const caller = client(server.base);
    await Promise.all(Array.from({ length: 20 }, () => caller.getTask({ id: 't1' })));
    await caller.getTask({ id: 't1' });
    expect(urls(server).filter((url) => url === WELL_KNOWN)).toHaveLength(1);
  });

  it('is asked for by its tag when it is no longer fresh, and used on when it is the same or not to be had', async () => {
    const answers: PeerRequest[] = [];
    let status = 304;
    const server: Peer = await peer((request, response) => {
      if (request.method === 'POST') return answerRpc(request, response, TASK);
      answers.push(request);
      const headers = { etag: '"v1"', 'cache-control': 'no-cache' };
      if (answers.length > 1) return response.writeHead(status, headers).end();
      return answerJson(response, card(server.base), 200, headers);
    });
    const caller = client(server.base);
    for (let i = 0; i < 3; i++) await caller.getTask({ id: 't1' });
    expect(answers.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"', '"v1"']);
    status = 503;
    for (let i = 0; i < 3; i++) expect(await caller.getTask({ id: 't1' })).toEqual(TASK);
    expect(answers).toHaveLength(4);
  });

  it('leads elsewhere when it has changed', async () => {
    const [first, second] = [await serving(() => ({})), await serving(() => ({}))];
    let current = first;
    const server = await peer((_, response) =>
      answerJson(response, card(current.base), 200, { 'cache-control': 'max-age=0' }),
    );
    const caller = client(server.base);
    await caller.getTask({ id: 't1' });
    current = second;
    await caller.getTask({ id: 't1' });
    expect([urls(first), urls(second)]).toEqual([['/rpc'], ['/rpc']]);
  });
});

describe('the interface', () => {
  it('is the first that both sides speak, or the one that the client likes best', async () => {
    const server = await peer((request, response) =>
      request.method === 'POST' ? answerRpc(request, response, TASK) : answerJson(response, TASK),
    );
    const { base } = server;
    const offer = cardWith([
      ['GRPC', `${base}/grpc`],
      ['JSONRPC', `${base}/old`, { protocolVersion: '0.3' }],
      ['JSONRPC', 'relative'],
      ['JSONRPC', 'file:///etc/passwd'],
      ['HTTP+JSON', `${base}/rest`, { protocolVersion: '1.0.1' }],
      ['JSONRPC', `${base}/rpc`],
    ]);
    await client({ card: offer }).getTask({ id: 't1' });
    await client({ card: offer }, { useClientPreference: true }).getTask({ id: 't1' });
    await client({ card: offer }, { bindings: ['JSONRPC'] }).getTask({ id: 't1' });
    expect(urls(server)).toEqual(['/rest/tasks/t1', '/rpc', '/rpc']);
  });

  it('may be relative to the card when that is allowed', async () => {
    const server = await serving(() => ({ '/agents/a/card.json': cardWith([['JSONRPC', '../rpc']]) }));
    const url = `${server.base}/agents/a/card.json`;
    await client(url, { allowRelativeUrls: true }).getTask({ id: 't1' });
    expect(urls(server).at(-1)).toBe('/agents/rpc');
    await expect(client(url).getTask({ id: 't1' })).rejects.toThrow('allowRelativeUrls');
  });

  it('is missed with words that help', async () => {
    const old = { name: 'Old', protocolVersion: '0.3.0', url: 'http://127.0.0.1:1' } as unknown as AgentCard;
    await expect(client({ card: old }).getTask({ id: 't1' })).rejects.toThrow('A2A 0.3');
  });
});

describe('a signed card', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ kid: 'k1', alg: 'ES256', privateKey: key.privateKey }];
  const signing = new CardSigning(resolveOptions({ publicUrl: 'https://a.example', signing: { keys } }));

  async function agent(change: (card: AgentCard) => object = (same) => same): Promise<string> {
    const server: Peer = await peer(async (request, response) =>
      request.method === 'POST'
        ? answerRpc(request, response, TASK)
        : answerJson(response, change(await signing.sign(card(server.base)))),
    );
    return server.base;
  }

  it('is verified when somebody is trusted, and taken then only', async () => {
    const signatures = { keys: signing.jwks };
    expect((await client(await agent(), { signatures }).getTask({ id: 't1' })).id).toBe('t1');
    const forged = await agent((same) => ({ ...same, name: 'Somebody else' }));
    const failure = client(forged, { signatures }).getTask({ id: 't1' });
    await expect(failure).rejects.toBeInstanceOf(AgentCardVerificationError);
    await expect(failure).rejects.toMatchObject({ reason: 'invalid-signature' });
  });

  it('may be required', async () => {
    const unsigned = await agent(({ signatures: _, ...rest }) => rest);
    const keysOnly = { keys: signing.jwks };
    expect((await client(unsigned, { signatures: keysOnly }).card()).name).toBe('Peer');
    const strict = { ...keysOnly, policy: 'required' } as const;
    await expect(client(unsigned, { signatures: strict }).card()).rejects.toMatchObject({
      reason: 'unsigned',
    });
  });

  it('says nothing where nobody is trusted', async () => {
    expect((await client(await agent()).getTask({ id: 't1' })).id).toBe('t1');
  });
});

describe('a card of a stranger', () => {
  it('leads headers nowhere that the application did not name', async () => {
    const elsewhere = await serving(() => ({}));
    const server = await serving(() => ({ [WELL_KNOWN]: card(elsewhere.base) }));
    const headers = { authorization: 'Bearer s3cr3t-token' };
    const call = { headers: { 'X-Api-Key': 's3cr3t-key' }, extensions: ['urn:x'] };
    await client(server.base, { headers }).getTask({ id: 't1' }, call);
    expect(server.requests[0]!.headers.authorization).toBe('Bearer s3cr3t-token');
    expect(elsewhere.requests[0]!.headers).toMatchObject({ 'a2a-extensions': 'urn:x' });
    expect(JSON.stringify(elsewhere.requests[0])).not.toContain('s3cr3t-');
    const trustedOrigins = [elsewhere.base];
    await client(server.base, { headers, trustedOrigins }).getTask({ id: 't1' }, call);
    const trusted = { authorization: 'Bearer s3cr3t-token', 'x-api-key': 's3cr3t-key' };
    expect(elsewhere.requests[1]!.headers).toMatchObject(trusted);
    expect(() => client(server.base, { trustedOrigins: ['billing.example'] })).toThrow('trustedOrigins');
  });

  it('leads nowhere by a name whose address a guard finds out as it connects', async () => {
    const asked: string[] = [];
    const guard = new PublicUrlGuard({
      lookup: (hostname) => {
        asked.push(hostname);
        return Promise.resolve([{ address: '10.0.0.1', family: 4 }]);
      },
    });
    closing.push(() => guard.close());
    await expect(client('http://agent.example.com', { guard }).card()).rejects.toBeInstanceOf(UnsafeUrlError);
    const named = { card: card('http://agent.example.com') };
    await expect(client(named, { guard }).getTask({ id: 't1' })).rejects.toBeInstanceOf(UnsafeUrlError);
    expect(asked).toEqual(['agent.example.com', 'agent.example.com']);
  });

  it('leads nowhere that a guard does not allow', async () => {
    const server = await serving((base) => ({ [WELL_KNOWN]: card(base) }));
    const inside = await serving(() => ({}));
    const strict = new PublicUrlGuard();
    const guard = new PublicUrlGuard({ allow: [new URL(server.base).host] });
    closing.push(
      () => strict.close(),
      () => guard.close(),
    );
    await expect(client(server.base, { guard: strict }).card()).rejects.toBeInstanceOf(UnsafeUrlError);
    expect(server.requests).toHaveLength(0);
    expect((await client(server.base, { guard }).getTask({ id: 't1' })).id).toBe('t1');
    const bait = { card: card(inside.base) };
    await expect(client(bait, { guard }).getTask({ id: 't1' })).rejects.toBeInstanceOf(UnsafeUrlError);
    expect(inside.requests).toHaveLength(0);
  });
});
