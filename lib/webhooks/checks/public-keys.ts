import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FlattenedVerifyGetKey,
  type JSONWebKeySet,
} from 'jose';
import type { UrlGuard } from '../../interfaces/url-guard.js';
import type { SignatureCheck } from '../webhook-options.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_AGE_MS = 600_000;
/** Keys that were just fetched are not fetched again for a kid that nobody knows. */
const COOLDOWN_MS = 30_000;

/** The keys of a sender: as they are given, or fetched when they are first needed. */
export function publicKeys(
  jwks: NonNullable<SignatureCheck['jwks']>,
  guard: UrlGuard,
): FlattenedVerifyGetKey {
  if (typeof jwks !== 'string' && !(jwks instanceof URL))
    return createLocalJWKSet(jwks as unknown as JSONWebKeySet) as FlattenedVerifyGetKey;
  return createRemoteJWKSet(new URL(jwks), {
    timeoutDuration: TIMEOUT_MS,
    cacheMaxAge: MAX_AGE_MS,
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: async (url, { signal }) => {
      const headers = { accept: 'application/jwk-set+json, application/json' };
      const answer = await guard.fetch(url, { headers, signal, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
      return new Response(Buffer.from(answer.body), { status: answer.status });
    },
  }) as FlattenedVerifyGetKey;
}
