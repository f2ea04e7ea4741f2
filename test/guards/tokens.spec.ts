import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import {
  type CredentialSource,
  type GuardedScheme,
  httpBearer,
  oauth2,
  openIdConnect,
  type SchemeOutcome,
} from 'nest-a2a';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchWithin } from '../../lib/guards/tokens/fetch-within.js';
import { TokenCache } from '../../lib/guards/tokens/token-cache.js';
import { hmac, SECRET, unsigned } from './support/all-schemes.js';
import { IdentityProvider } from './support/identity-provider.js';

const FLOWS = { clientCredentials: { tokenUrl: 'https://id.example/token', scopes: {} } };
const MINUTE = 60_000;

async function outcome({ guard }: GuardedScheme, authorization: string): Promise<SchemeOutcome> {
  if (typeof guard !== 'object' || !('authenticate' in guard)) throw new Error('no authenticator');
  return guard.authenticate({ headers: { authorization }, url: '/', socket: {} } as CredentialSource);
}
const ask = (scheme: GuardedScheme, token: string) => outcome(scheme, `Bearer ${token}`);
const refused = (reason: string) => ({ kind: 'refused', reason });

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await IdentityProvider.start();
});
afterAll(() => provider.stop());
beforeEach(() => {
  provider.asked.clear();
  provider.instead.clear();
});

describe('JWTs by a key set', () => {
  const byJwks = (changes: object = {}) =>
    httpBearer({ jwks: `${provider.issuer}/jwks`, issuer: provider.issuer, audience: 'vault', ...changes });

  it('name the user, with scopes as issuers write them', async () => {
    const scheme = byJwks();
    for (const claims of [{ scope: 'a b' }, { scp: ['a', 'b'] }, { scp: 'a b' }, { scopes: ['a', 'b'] }]) {
      const accepted = await ask(scheme, await provider.token({ sub: 'ann', ...claims }));
      expect(accepted).toMatchObject({ kind: 'accepted', user: { id: 'ann', scopes: ['a', 'b'] } });
    }
    const client = await ask(scheme, await provider.token({ client_id: 'robot' }));
    expect(client).toMatchObject({ user: { id: 'robot', claims: { aud: 'vault', iss: provider.issuer } } });
  });

  it('are refused for what is wrong with them', async () => {
    const scheme = byJwks();
    const now = Math.floor(Date.now() / 1_000);
    const token = (claims: object, header = {}) => provider.token({ sub: 'ann', ...claims }, header);
    expect(await ask(scheme, await token({ exp: now - 10 }))).toEqual(refused('expired'));
    expect(await ask(scheme, await token({ exp: now - 2 }))).toMatchObject({ kind: 'accepted' });
    expect(await ask(scheme, await token({ nbf: now + 60 }))).toEqual(refused('not-yet-valid'));
    expect(await ask(scheme, await token({ aud: ['x', 'y'] }))).toEqual(refused('audience'));
    expect(await ask(scheme, await token({ iss: 'https://x.example' }))).toEqual(refused('issuer'));
    expect(await ask(scheme, await token({ sub: '' }))).toEqual(refused('unknown'));
    expect(await ask(scheme, await token({}, { typ: 'dpop+jwt' }))).toEqual(refused('type'));
    expect(await ask(scheme, await token({}, { typ: 'application/AT+JWT' }))).toMatchObject({
      kind: 'accepted',
    });
    expect(await ask(scheme, await token({}, { kid: 'x' }))).toEqual(refused('unknown-key'));
    expect(await ask(scheme, unsigned({ sub: 'ann' }))).toEqual(refused('algorithm'));
    expect(await ask(scheme, 'x'.repeat(20_000))).toEqual(refused('too-long'));
    expect(await ask(scheme, 'a.b.c')).toMatchObject({ kind: 'refused' });
    const forever = await new SignJWT({ sub: 'ann', aud: 'vault', iss: 'tests' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(SECRET));
    expect(await ask(httpBearer({ secret: SECRET }), forever)).toEqual(refused('expiry'));
  });

  it('are only looked for where they belong', async () => {
    const token = await provider.token({ sub: 'ann' });
    const scheme = byJwks();
    for (const header of [
      '',
      token,
      `Token ${token}`,
      `Bearer`,
      `Bearer ${token} x`,
      `Bearer ${token}, Bearer ${token}`,
    ]) {
      expect(await outcome(scheme, header)).toEqual({ kind: 'absent' });
    }
    expect(await outcome(scheme, `bearer  ${token}`)).toMatchObject({ kind: 'accepted' });
  });

  it('follow the keys as they change, and are asked for seldom', async () => {
    const scheme = byJwks({ jwksCooldownMs: 0 });
    const old = await provider.token({ sub: 'ann' });
    await ask(scheme, old);
    await Promise.all(
      Array.from({ length: 5 }, async (_, i) => ask(scheme, await provider.token({ sub: `u${i}` }))),
    );
    expect(provider.asked.get('/jwks')).toBe(1);
    await provider.rotate();
    expect(await ask(scheme, await provider.token({ sub: 'bob' }))).toMatchObject({ user: { id: 'bob' } });
    expect(provider.asked.get('/jwks')).toBe(2);
    // The old key is no longer published: what was not verified before is refused now.
    const another = byJwks();
    expect(await ask(another, old)).toEqual(refused('unknown-key'));
    for (let i = 0; i < 5; i++)
      await ask(another, await provider.token({ sub: 'eve' }, { kid: `made up ${i}` }));
    expect(provider.asked.get('/jwks')).toBe(3);
  });

  it('work with two keys without ids', async () => {
    const token = await provider.token({ sub: 'ann' }, { kid: undefined });
    const own = provider.keys;
    await provider.rotate();
    provider.keys = [...provider.keys, ...own].map(({ kid: _, ...key }) => key);
    expect(await ask(byJwks(), token)).toMatchObject({ user: { id: 'ann' } });
    const stranger = await IdentityProvider.start();
    const claims = { sub: 'ann', iss: provider.issuer };
    expect(await ask(byJwks(), await stranger.token(claims, { kid: undefined }))).toEqual(
      refused('signature'),
    );
    await stranger.stop();
    await provider.rotate();
  });

  it.each([
    ['an error', (_: unknown, response: any) => response.writeHead(500).end()],
    ['nonsense', (_: unknown, response: any) => response.end('{')],
    ['a redirect', (_: unknown, response: any) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['more than anybody can want', (_: unknown, response: any) => response.end(`"${'x'.repeat(600_000)}"`)],
  ])('cannot be told from others when the provider answers %s', async (_, answer) => {
    provider.instead.set('/jwks', answer);
    const token = await provider.token({ sub: 'ann' });
    expect(await ask(byJwks(), token)).toMatchObject({ kind: 'unavailable' });
    expect(provider.asked.has('/elsewhere')).toBe(false);
    provider.instead.clear();
    expect(await ask(byJwks(), token)).toMatchObject({ kind: 'accepted' });
  });
});

describe('keys of one kind', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();

  it('never verify what is signed with the public key as a secret', async () => {
    const scheme = httpBearer({ publicKey: publicPem });
    const good = await new SignJWT({ sub: 'ann' })
      .setProtectedHeader({ alg: 'RS256' })
      .setExpirationTime('1m')
      .sign(rsa.privateKey);
    expect(await ask(scheme, good)).toMatchObject({ user: { id: 'ann' } });
    expect(await ask(scheme, await hmac({ sub: 'ann' }, publicPem))).toEqual(refused('algorithm'));
    const jwk = httpBearer({ publicKey: rsa.publicKey.export({ format: 'jwk' }) });
    expect(await ask(jwk, good)).toMatchObject({ user: { id: 'ann' } });
    expect(await ask(httpBearer({ secret: SECRET }), good)).toEqual(refused('algorithm'));
    expect(await ask(httpBearer({ publicKey: publicPem, algorithms: ['PS256'] }), good)).toEqual(
      refused('algorithm'),
    );
    // The algorithm is one that the kind of key has not.
    const ec = await provider.token({ sub: 'ann' });
    expect(await ask(scheme, ec)).toMatchObject({ kind: 'refused' });
  });

  it('are refused when they could not be safe', () => {
    expect(() => httpBearer({ secret: 'short' })).toThrow(/32 bytes/);
    expect(() => httpBearer({ publicKey: publicPem, algorithms: ['HS256'] })).toThrow(/HS256/);
    expect(() => httpBearer({ secret: SECRET, algorithms: ['none'] })).toThrow(/none/);
    expect(() => httpBearer({ publicKey: rsa.privateKey })).toThrow(/public key/);
    expect(() => httpBearer({ secret: SECRET, cacheSeconds: 3_600 })).toThrow(RangeError);
    const jwks = { issuer: 'x', audience: 'x' };
    expect(() => httpBearer({ jwks: 'http://id.example/jwks', ...jwks })).toThrow(/https/);
    expect(() => httpBearer({ jwks: 'file:///etc/passwd', ...jwks })).toThrow(/https/);
    expect(() => openIdConnect({ url: 'https://id.example/', audience: 'x' })).toThrow(/well-known/);
  });
});

describe('OpenID Connect', () => {
  const scheme = (changes: object = {}) =>
    openIdConnect({
      url: `${provider.issuer}/.well-known/openid-configuration`,
      audience: 'vault',
      ...changes,
    });

  it('reads the discovery document once, also for many at a time', async () => {
    const oidc = scheme();
    const tokens = await Promise.all(['a', 'b', 'c'].map((sub) => provider.token({ sub })));
    for (const result of await Promise.all(tokens.map((token) => ask(oidc, token)))) {
      expect(result).toMatchObject({ kind: 'accepted' });
    }
    expect(provider.asked.get('/.well-known/openid-configuration')).toBe(1);
  });

  it('takes no document of another issuer, and tries again', async () => {
    const oidc = scheme();
    const document = { issuer: 'https://another.example', jwks_uri: `${provider.issuer}/jwks` };
    provider.instead.set(
      '/.well-known/openid-configuration',
      (_, response) => void response.end(JSON.stringify(document)),
    );
    const token = await provider.token({ sub: 'ann', iss: 'https://another.example' });
    expect(await ask(oidc, token)).toMatchObject({ kind: 'unavailable' });
    provider.instead.clear();
    expect(await ask(oidc, token)).toEqual(refused('issuer'));
    expect(await ask(oidc, await provider.token({ sub: 'ann' }))).toMatchObject({ kind: 'accepted' });
  });
});

describe('introspection', () => {
  const now = () => Math.floor(Date.now() / 1_000);
  const scheme = (changes: object = {}, introspection: object = {}) =>
    oauth2({
      flows: FLOWS,
      issuer: provider.issuer,
      audience: 'vault',
      introspection: { url: `${provider.issuer}/introspect`, ...provider.client, ...introspection },
      ...changes,
    });
  const GOOD = { active: true, sub: 'ann', scope: 'a b', aud: 'vault' };

  it('asks with the credentials of the client, and remembers for a while', async () => {
    provider.tokens.set('opaque', { ...GOOD, exp: now() + 60 });
    const oauth = scheme();
    for (let i = 0; i < 3; i++) {
      expect(await ask(oauth, 'opaque')).toMatchObject({ user: { id: 'ann', scopes: ['a', 'b'] } });
    }
    expect(provider.asked.get('/introspect')).toBe(1);
    const sent = Buffer.from(provider.authorization!.slice('Basic '.length), 'base64').toString();
    expect(sent).toBe('agent%3A1:introspection-secret-%25%26');
    const uncached = scheme({}, { cacheSeconds: 0 });
    for (let i = 0; i < 3; i++) await ask(uncached, 'opaque');
    expect(provider.asked.get('/introspect')).toBe(4);
    // What is revoked is refused as soon as it is asked about.
    provider.tokens.delete('opaque');
    expect(await ask(uncached, 'opaque')).toEqual(refused('inactive'));
  });

  it.each([
    ['inactive', { active: false }],
    ['inactive', { active: 'true' }],
    ['audience', { aud: 'another' }],
    ['audience', { aud: undefined }],
    ['issuer', { iss: 'https://another.example' }],
    ['expired', { exp: 1 }],
    ['expired', { exp: 'never' }],
    ['not-yet-valid', { nbf: 99_999_999_999 }],
    ['unknown', { sub: undefined }],
  ])('refuses as %s', async (reason, changes) => {
    provider.tokens.set('bad', { ...GOOD, ...changes });
    expect(await ask(scheme(), 'bad')).toEqual(refused(reason));
  });

  it.each([
    ['an error', (_: unknown, response: any) => response.writeHead(401).end('{"active":true}')],
    ['nonsense', (_: unknown, response: any) => response.end('"active"')],
    ['a redirect', (_: unknown, response: any) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['too much', (_: unknown, response: any) => response.end(`{"active":true,"x":"${'x'.repeat(70_000)}"}`)],
    ['nothing in time', () => undefined],
  ])('lets nobody in when the server answers %s', async (_, answer) => {
    provider.instead.set('/introspect', answer);
    expect(await ask(scheme({}, { timeoutMs: 300 }), 'opaque')).toMatchObject({ kind: 'unavailable' });
    expect(provider.asked.has('/elsewhere')).toBe(false);
  });
});

describe('the cache of tokens', () => {
  const ANN = { id: 'ann' };

  it('forgets after its time, and at the end of the token', () => {
    let now = 1_000_000;
    const cache = new TokenCache(60, () => now);
    cache.set('long', ANN, undefined);
    cache.set('short', ANN, now / 1_000 + 10);
    cache.set('over', ANN, now / 1_000 - 1);
    expect([cache.get('long'), cache.get('short'), cache.get('over'), cache.get('other')]).toEqual([
      ANN,
      ANN,
      undefined,
      undefined,
    ]);
    now += 10_000;
    expect([cache.get('long'), cache.get('short')]).toEqual([ANN, undefined]);
    now += MINUTE;
    expect(cache.get('long')).toBeUndefined();
  });

  it('holds not too many', () => {
    const cache = new TokenCache(60);
    for (let i = 0; i <= 10_000; i++) cache.set(`token ${i}`, ANN, undefined);
    expect(cache.get('token 0')).toBeUndefined();
    expect(cache.get('token 10000')).toEqual(ANN);
  });

  it('spares the verification', async () => {
    const token = await provider.token({ sub: 'ann' });
    const jwks = { jwks: { keys: provider.keys }, issuer: provider.issuer, audience: 'vault' };
    let asked = 0;
    const user = ({ sub }: { sub?: string }) => {
      asked += 1;
      return sub;
    };
    const cached = httpBearer({ ...jwks, user });
    for (let i = 0; i < 3; i++) expect(await ask(cached, token)).toMatchObject({ user: ANN });
    expect(asked).toBe(1);
    const uncached = httpBearer({ ...jwks, user, cacheSeconds: 0 });
    for (let i = 0; i < 3; i++) await ask(uncached, token);
    expect(asked).toBe(4);
  });
});

it('fetching ends when the answer does not', async () => {
  provider.instead.set('/slow', (_, response) => {
    response.writeHead(200);
    response.write('x');
  });
  await expect(fetchWithin({ timeoutMs: 200 })(`${provider.issuer}/slow`)).rejects.toThrow(
    /timeout|aborted/i,
  );
});
