import { createPublicKey, KeyObject } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { fetchWithin } from './fetch-within.js';
import type { JwksOptions, JwtOptions } from './jwt-options.js';
import { trustedUrl } from './trusted-url.js';

const HMAC = ['HS256', 'HS384', 'HS512'];
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const ASYMMETRIC = [...RSA, 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const MIN_SECRET = 32;

/** Where the key of a token comes from, and the algorithms that are accepted with it. */
export interface JwtKeys {
  readonly key: JWTVerifyGetKey | KeyObject | Uint8Array;
  readonly algorithms: readonly string[];
}

/**
 * A public key never verifies an HMAC and a secret nothing else, whatever the token says.
 *
 * @throws TypeError when the options cannot be safe.
 */
export function jwtKeys(options: JwtOptions): JwtKeys {
  if ('secret' in options) {
    const key =
      typeof options.secret === 'string' ? new TextEncoder().encode(options.secret) : options.secret;
    if (key.length < MIN_SECRET) throw new TypeError(`A secret for JWTs needs at least ${MIN_SECRET} bytes`);
    return { key, algorithms: allowed(options.algorithms, HMAC) };
  }
  const algorithms = allowed(options.algorithms, ASYMMETRIC);
  if ('publicKey' in options) return { key: publicKey(options.publicKey), algorithms };
  const { jwks } = options;
  const isUrl = typeof jwks === 'string' || jwks instanceof URL;
  return { key: isUrl ? remote(trustedUrl(jwks), options) : createLocalJWKSet(jwks), algorithms };
}

function publicKey(given: Extract<JwtOptions, { publicKey: unknown }>['publicKey']): KeyObject {
  if (given instanceof KeyObject) return asymmetric(given);
  const key =
    typeof given === 'string'
      ? createPublicKey(given)
      : createPublicKey({ key: { ...given }, format: 'jwk' });
  return asymmetric(key);
}

function asymmetric(key: KeyObject): KeyObject {
  if (key.type !== 'public') throw new TypeError('publicKey must be a public key');
  return key;
}

function remote(url: URL, { jwksMaxAgeMs = 600_000, jwksCooldownMs = 30_000 }: JwksOptions): JWTVerifyGetKey {
  return createRemoteJWKSet(url, {
    cacheMaxAge: jwksMaxAgeMs,
    cooldownDuration: jwksCooldownMs,
    timeoutDuration: 5_000,
    [customFetch]: fetchWithin(),
  });
}

function allowed(algorithms: readonly string[] | undefined, possible: readonly string[]): readonly string[] {
  const wrong = (algorithms ?? []).filter((name) => !possible.includes(name));
  if (wrong.length > 0) {
    throw new TypeError(
      `JWTs with such a key cannot be of ${wrong.join(', ')}; possible are ${possible.join(', ')}`,
    );
  }
  return algorithms ?? possible;
}
