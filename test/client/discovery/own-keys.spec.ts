import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { AgentCard } from 'nest-a2a';
import { createA2AClient, type A2AClientOptions } from 'nest-a2a/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CardSigning } from '../../../lib/agent-card/card-signing.js';
import { resolveOptions } from '../../../lib/interfaces/resolve-options.js';
import { pem } from '../../guards/support/certificates.js';
import { cardWith } from '../peer.js';

const JWKS = '/.well-known/a2a-jwks.json';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let served: object;
let keys: () => { status: number; body: string };
let asked: number;
let base: string;

const server = createServer({ key: pem('server.key'), cert: pem('server') }, (request, response) => {
  const isKeys = request.url === JWKS;
  if (isKeys) asked += 1;
  const { status, body } = isKeys ? keys() : { status: 200, body: JSON.stringify(served) };
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = 0;
  keys = () => ({ status: 200, body: JSON.stringify(signingBy(base).jwks) });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function signingBy(publicUrl: string, jku?: string | false): CardSigning {
  const signing = { keys: [{ kid: 'k1', alg: 'ES256', privateKey }], ...(jku !== undefined && { jku }) };
  return new CardSigning(resolveOptions({ publicUrl, signing }));
}

const card = (): AgentCard => cardWith([['JSONRPC', `${base}/rpc`]]);

async function fetched(options: A2AClientOptions = {}): Promise<AgentCard> {
  const client = createA2AClient(base, { tls: { ca: pem('ca') }, retry: { attempts: 1 }, ...options });
  try {
    return await client.card();
  } finally {
    await client.close();
  }
}

describe('a signed card, where nobody is named whom the application trusts', () => {
  it('is verified by the keys of its own origin', async () => {
    served = await signingBy(base).sign(card());
    expect((await fetched()).name).toBe('Peer');
    expect(asked).toBe(1);
    served = { ...served, name: 'Somebody else' };
    await expect(fetched()).rejects.toMatchObject({ reason: 'invalid-signature' });
  });

  it('is refused while its keys cannot be had', async () => {
    served = await signingBy(base).sign(card());
    keys = () => ({ status: 503, body: '{}' });
    await expect(fetched()).rejects.toMatchObject({ reason: 'keys-unavailable' });
  });

  it.each([
    ['of another origin', 'https://keys.example/jwks.json'],
    ['that are named nowhere', false],
  ] as const)('says nothing by keys %s, and nobody is asked for them', async (_, jku) => {
    served = { ...(await signingBy(base, jku).sign(card())), name: 'Changed' };
    expect((await fetched()).name).toBe('Changed');
    expect(asked).toBe(0);
  });

  it('is not looked at when that is switched off', async () => {
    served = { ...(await signingBy(base).sign(card())), name: 'Changed' };
    expect((await fetched({ signatures: { policy: 'off' } })).name).toBe('Changed');
    expect(asked).toBe(0);
  });
});
