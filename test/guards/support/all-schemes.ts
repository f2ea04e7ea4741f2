import { SignJWT } from 'jose';
import {
  apiKey,
  type GuardedScheme,
  httpBasic,
  httpBearer,
  mutualTls,
  oauth2,
  openIdConnect,
  safeEqual,
} from 'nest-a2a';
import { pem } from './certificates.js';
import type { IdentityProvider } from './identity-provider.js';

type Headers = Readonly<Record<string, string>>;

/** Whom the tests call as: `low` is known, but lacks the scope `use`. */
export type Caller = 'ann' | 'bob' | 'low';
export const SCOPE = 'use';

/** A scheme and how to call with it. */
export interface SchemeUnderTest {
  readonly scheme: GuardedScheme;
  readonly challenge: RegExp;
  headers(caller: Caller): Promise<Headers> | Headers;
  /** Credentials that are wrong in as many ways as the scheme has. */
  wrong(): Promise<Headers[]> | Headers[];
}

export const SCHEME_NAMES = ['bearer', 'key', 'basic', 'oauth', 'oidc', 'mtls'] as const;
export type SchemeName = (typeof SCHEME_NAMES)[number];

export const SECRET = 'a secret of the tests, which nobody may ever see in a log';

const scopesOf = (caller: string) => (caller === 'low' ? [] : [SCOPE]);
const known = (name: string | undefined) =>
  name && ['ann', 'bob', 'low'].includes(name) ? { id: name, scopes: scopesOf(name) } : null;

export function allSchemes(provider: IdentityProvider): Readonly<Record<SchemeName, SchemeUnderTest>> {
  const { issuer } = provider;
  const jwks = `${issuer}/jwks`;
  const claims = (sub: string) => ({ sub, scope: scopesOf(sub).join(' ') });
  const authorization = (value: string) => ({ authorization: value });
  const bearer = (token: string) => authorization(`Bearer ${token}`);
  const byProvider = async (sub: string) => bearer(await provider.token(claims(sub)));
  const wrongTokens = async () => [
    bearer('not-a-token-but-secret'),
    bearer(await provider.token({ ...claims('ann'), exp: Math.floor(Date.now() / 1_000) - 60 })),
    bearer(await provider.token({ ...claims('ann'), aud: 'another' })),
    bearer(await provider.token({ ...claims('ann'), iss: 'https://another.example' })),
    bearer(await provider.token({ scope: SCOPE })),
    bearer(await provider.token(claims('ann'), { typ: 'logout+jwt' })),
    bearer(await provider.token(claims('ann'), { kid: 'unknown' })),
    bearer(tampered(await provider.token(claims('low')))),
  ];
  return {
    bearer: {
      scheme: httpBearer({ secret: SECRET, issuer: 'tests', audience: 'vault' }),
      challenge: /Bearer realm="a2a"/,
      headers: async (caller) => bearer(await hmac(claims(caller))),
      wrong: async () => [
        bearer(await hmac(claims('ann'), 'another secret, which is long enough too')),
        bearer(await hmac({ ...claims('ann'), aud: 'another' })),
        bearer(unsigned(claims('ann'))),
        bearer(tampered(await hmac(claims('low')))),
      ],
    },
    key: {
      scheme: apiKey({
        in: 'header',
        name: 'X-Vault-Key',
        validate: (key) =>
          ['ann', 'bob', 'low'].map((name) => safeEqual(key, `key-of-${name}`) && known(name)).find(Boolean),
      }),
      challenge: /ApiKey realm="a2a", in="header", name="X-Vault-Key"/,
      headers: (caller) => ({ 'x-vault-key': `key-of-${caller}` }),
      wrong: () => [{ 'x-vault-key': 'key-of-nobody' }, { 'x-vault-key': 'key-of-ann, key-of-ann' }],
    },
    basic: {
      scheme: httpBasic({ validate: (name, password) => safeEqual(password, `pass:${name}`) && known(name) }),
      challenge: /Basic realm="a2a", charset="UTF-8"/,
      headers: (caller) => authorization(`Basic ${btoa(`${caller}:pass:${caller}`)}`),
      wrong: () => [
        authorization(`Basic ${btoa('ann:pass:bob')}`),
        authorization(`Basic ${btoa('ann')}`),
        authorization('Basic !!!'),
      ],
    },
    oauth: {
      scheme: oauth2({
        flows: { clientCredentials: { tokenUrl: `${issuer}/token`, scopes: { [SCOPE]: 'Use the vault' } } },
        issuer,
        audience: 'vault',
        jwks,
        jwksCooldownMs: 0,
      }),
      challenge: /Bearer realm="a2a"/,
      headers: byProvider,
      wrong: wrongTokens,
    },
    oidc: {
      scheme: openIdConnect({ url: `${issuer}/.well-known/openid-configuration`, audience: 'vault' }),
      challenge: /Bearer realm="a2a"/,
      headers: byProvider,
      wrong: wrongTokens,
    },
    mtls: {
      scheme: mutualTls({
        trustProxyHeader: {
          header: 'X-Client-Cert',
          from: ['127.0.0.1', '::1'],
          verified: { header: 'X-Client-Verify', value: 'SUCCESS' },
        },
        validate: ({ subject }) => known(/^CN=(.+)$/m.exec(subject)?.[1]),
      }),
      challenge: /MutualTLS realm="a2a"/,
      headers: (caller) => certificate(caller),
      wrong: () => [
        { ...certificate('ann'), 'x-client-verify': 'FAILED' },
        { ...certificate('ann'), 'x-client-cert': 'no certificate' },
        certificate('server'),
      ],
    },
  };
}

function certificate(name: string): Headers {
  return { 'x-client-cert': encodeURIComponent(pem(name)), 'x-client-verify': 'SUCCESS' };
}

export function hmac(claims: Record<string, unknown>, secret = SECRET): Promise<string> {
  return new SignJWT({ iss: 'tests', aud: 'vault', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(secret));
}

export function unsigned(claims: Record<string, unknown>): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 300;
  return `${encode({ alg: 'none' })}.${encode({ iss: 'tests', aud: 'vault', exp, ...claims })}.`;
}

/** The same token for `ann`, with every scope. */
export function tampered(token: string): string {
  const [header, payload = '', signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const changed = { ...claims, sub: 'ann', scope: SCOPE };
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
}
