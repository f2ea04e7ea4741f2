import { createServer, request, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  apiKey,
  type CredentialSource,
  type GuardedScheme,
  httpBasic,
  mutualTls,
  safeEqual,
  type SchemeOutcome,
} from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { challengeOf } from '../../lib/protocol/challenges.js';
import { pem } from './support/certificates.js';

async function ask({ guard }: GuardedScheme, source: object): Promise<SchemeOutcome> {
  if (typeof guard !== 'object' || !('authenticate' in guard)) throw new Error('no authenticator');
  return guard.authenticate({ headers: {}, url: '/', socket: {}, ...source } as CredentialSource);
}

const accepted = (id: string) => ({ kind: 'accepted', user: { id } });
const REFUSED = { kind: 'refused', reason: expect.any(String) };
const ABSENT = { kind: 'absent' };
const validate = (text: string) => (text === 'wrong' ? null : text);

describe('API keys', () => {
  it.each([
    ['header', { headers: { 'x-key': 'k1' } }, accepted('k1')],
    ['header', { headers: { 'x-key': 'wrong' } }, REFUSED],
    ['header', { headers: {}, url: '/?X-Key=k1' }, ABSENT],
    ['header', { headers: { 'x-key': 'k'.repeat(5_000) } }, REFUSED],
    ['query', { url: '/a2a/rest/tasks?a=b&X-Key=k%201' }, accepted('k 1')],
    ['query', { url: '/?X-Key=wrong' }, REFUSED],
    ['query', { url: '/?X-Key=' }, ABSENT],
    ['query', { url: '/X-Key=k1', headers: { 'x-key': 'k1' } }, ABSENT],
    ['query', { url: '/?X-Key=k1&X-Key=k2' }, accepted('k1, k2')],
    ['cookie', { headers: { cookie: 'a=b; X-Key=k=1; c=d' } }, accepted('k=1')],
    ['cookie', { headers: { cookie: 'X-Key=wrong' } }, REFUSED],
    ['cookie', { headers: { cookie: 'not-X-Key=k1' } }, ABSENT],
  ] as const)('come by %s: %j', async (location, source, expected) => {
    expect(await ask(apiKey({ in: location, name: 'X-Key', validate }), source)).toEqual(expected);
  });

  it.each(['', 'x key', 'x:key', 'x\r\nkey', 'ключ'])('have no name such as %j', (name) => {
    expect(() => apiKey({ in: 'header', name, validate })).toThrow(TypeError);
  });
});

describe('basic credentials', () => {
  const scheme = httpBasic({ validate: (name, password) => password === 'p:w' && name });
  const basic = (text: string) => ({
    headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
  });

  it.each([
    ['ann:p:w', accepted('ann')],
    ['änn:p:w', accepted('änn')],
    [':p:w', REFUSED],
    ['ann:wrong', REFUSED],
    ['ann', REFUSED],
    ['ann\u0000:p:w', REFUSED],
    ['a'.repeat(5_000) + ':p:w', REFUSED],
  ])('%j', async (text, expected) => {
    expect(await ask(scheme, basic(text))).toEqual(expected);
  });

  it('of another scheme are none', async () => {
    expect(await ask(scheme, { headers: { authorization: 'Bearer x' } })).toEqual(ABSENT);
  });
});

describe('client certificates of the connection', () => {
  const scheme = mutualTls();
  let seen: SchemeOutcome | undefined;
  const server = createServer(
    {
      key: pem('server.key'),
      cert: pem('server'),
      ca: pem('ca'),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (incoming, response) => {
      void ask(scheme, { headers: incoming.headers, socket: incoming.socket }).then((outcome) => {
        seen = outcome;
        response.end();
      });
    },
  );
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function call(options: RequestOptions): Promise<SchemeOutcome | undefined> {
    const { port } = server.address() as AddressInfo;
    await new Promise<void>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, ca: pem('ca'), agent: false, ...options },
        (response) => {
          response.resume().on('end', resolve);
        },
      );
      sent.on('error', reject).end();
    });
    return seen;
  }

  it('name their owner by the subject', async () => {
    expect(await call({ key: pem('ann.key'), cert: pem('ann') })).toMatchObject({
      kind: 'accepted',
      user: { id: 'O=Acme, CN=ann', claims: { issuer: 'CN=ca', fingerprint256: expect.any(String) } },
    });
  });

  it('of an authority that nobody knows are refused, and none is none', async () => {
    expect(await call({ key: pem('mallory.key'), cert: pem('mallory') })).toEqual(REFUSED);
    expect(await call({})).toEqual(ABSENT);
    expect(await call({ headers: { 'x-client-cert': encodeURIComponent(pem('ann')) } })).toEqual(ABSENT);
  });
});

describe('client certificates from a proxy', () => {
  const scheme = mutualTls({
    trustProxyHeader: { header: 'X-Cert', from: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'] },
  });
  const from = (remoteAddress: string | undefined, value: string) => ({
    headers: { 'x-cert': value },
    socket: { remoteAddress },
  });
  const ESCAPED = encodeURIComponent(pem('ann'));
  const base64 = pem('ann').replace(/-----[^-]+-----|\s/g, '');

  it.each(['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8::1'])(
    'are taken from %s',
    async (address) => {
      for (const value of [ESCAPED, `:${base64}:`]) {
        expect(await ask(scheme, from(address, value))).toMatchObject({ user: { id: 'O=Acme, CN=ann' } });
      }
    },
  );

  it.each(['11.0.0.1', '127.0.0.1', '192.0.2.8', '::1', '::ffff:192.0.2.8', 'x', undefined])(
    'mean nothing from %s',
    async (address) => {
      expect(await ask(scheme, from(address, ESCAPED))).toEqual(ABSENT);
    },
  );

  it('are refused when they are none', async () => {
    for (const value of ['x', '%', ':x:', `${ESCAPED}%`, 'x'.repeat(40_000)]) {
      expect(await ask(scheme, from('10.0.0.1', value))).toEqual(REFUSED);
    }
    expect(await ask(scheme, from('10.0.0.1', ''))).toEqual(ABSENT);
  });

  it.each(['x', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/8/8', '::1/129'])(
    'need addresses of proxies, not %s',
    (address) => {
      expect(() => mutualTls({ trustProxyHeader: { header: 'x', from: [address] } })).toThrow(TypeError);
    },
  );
});

describe('challenges', () => {
  it('cannot be broken out of by what a card says', () => {
    const key = { location: 'header', name: 'x"\r\nSet-Cookie: a=b' };
    const apiKeyChallenge = challengeOf({ apiKeySecurityScheme: key });
    expect(apiKeyChallenge).toBe('ApiKey realm="a2a", in="header", name="x\\"Set-Cookie: a=b"');
    expect(challengeOf({ httpAuthSecurityScheme: { scheme: 'x\r\ny: z' } })).toBe('Xyz realm="a2a"');
    const scopes = ['a"\r\nb'];
    expect(
      challengeOf({ httpAuthSecurityScheme: { scheme: 'bearer' } }, { error: 'insufficient_scope', scopes }),
    ).toBe('Bearer realm="a2a", error="insufficient_scope", scope="a\\"b"');
  });
});

it('safeEqual compares', () => {
  expect(safeEqual('a', 'a')).toBe(true);
  expect(safeEqual('a', 'b')).toBe(false);
  expect(safeEqual('a', 'aa')).toBe(false);
});
