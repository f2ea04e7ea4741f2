import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import type { SchemeOutcome } from '../../interfaces/security.js';
import { validated, type ValidatedUser } from '../schemes/validated.js';
import { jwtKeys } from './jwt-keys.js';
import type { JwtOptions } from './jwt-options.js';
import { outage } from './outage.js';
import { TokenCache } from './token-cache.js';

const MAX_TOKEN = 16 * 1_024;
const TYPES = ['JWT', 'at+jwt'];

/** Verifies JWTs: signature, algorithm, type, time, issuer and audience. */
export class JwtVerifier {
  readonly #key: JWTVerifyGetKey;
  readonly #checks: JWTVerifyOptions;
  readonly #types: ReadonlySet<string>;
  readonly #cache: TokenCache;
  readonly #user: (claims: JWTPayload) => ValidatedUser | Promise<ValidatedUser>;

  /** Throws TypeError or RangeError when the options cannot be safe. */
  constructor(options: JwtOptions) {
    const { key, algorithms } = jwtKeys(options);
    this.#key = typeof key === 'function' ? reachable(key) : () => key;
    this.#types = new Set((options.types ?? TYPES).map(typeName));
    this.#cache = new TokenCache(options.cacheSeconds);
    this.#user = options.user ?? userOf;
    this.#checks = {
      algorithms: [...algorithms],
      clockTolerance: options.clockToleranceSeconds ?? 5,
      requiredClaims: ['exp'],
      issuer: options.issuer as string | string[] | undefined,
      audience: options.audience as string | string[] | undefined,
    };
  }

  async verify(token: string): Promise<SchemeOutcome> {
    if (token.length > MAX_TOKEN) return { kind: 'refused', reason: 'too-long' };
    const user = this.#cache.get(token);
    if (user) return { kind: 'accepted', user };
    const claims = await this.#claims(token);
    if ('kind' in claims) return claims;
    const outcome = await validated(() => this.#user(claims.payload));
    if (outcome.kind === 'accepted' && outcome.user) this.#cache.set(token, outcome.user, claims.payload.exp);
    return outcome;
  }

  async #claims(token: string): Promise<{ readonly payload: JWTPayload } | SchemeOutcome> {
    try {
      const { payload, protectedHeader } = await this.#verifyWithEach(token);
      if (!this.#types.has(typeName(protectedHeader.typ ?? 'JWT')))
        return { kind: 'refused', reason: 'type' };
      return { payload };
    } catch (error) {
      if (error instanceof KeysUnavailable) return outage('The keys of a JWT issuer', error.cause);
      return { kind: 'refused', reason: reasonOf(error) };
    }
  }

  /** Two keys of a set may fit what the token says of its own, as while keys without ids rotate. */
  async #verifyWithEach(token: string) {
    try {
      return await jwtVerify(token, this.#key, this.#checks);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      for await (const key of error) {
        try {
          return await jwtVerify(token, key, this.#checks);
        } catch (failure) {
          if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }
}

/** The keys cannot be had, which is no fault of the token. */
class KeysUnavailable extends Error {}

function reachable(key: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await key(header, token);
    } catch (cause) {
      const isAboutToken =
        cause instanceof errors.JWKSNoMatchingKey ||
        cause instanceof errors.JWKSMultipleMatchingKeys ||
        cause instanceof errors.JOSENotSupported;
      throw isAboutToken ? cause : new KeysUnavailable('The keys cannot be had', { cause });
    }
  };
}

/** A short word for what is wrong with a token. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return CLAIMS[error.claim] ?? 'claims';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown-key';
  if (error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid) return 'malformed';
  // A critical extension, or an algorithm that does not fit the key.
  return 'not-supported';
}

const CLAIMS: Readonly<Record<string, string>> = {
  iss: 'issuer',
  aud: 'audience',
  nbf: 'not-yet-valid',
  exp: 'expiry',
};

/** `application/at+jwt` and `at+jwt` are one (RFC 7515 §4.1.9). */
function typeName(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '');
}

/** The user whom the claims of a token name, as most issuers write them. */
export function userOf(claims: JWTPayload): ValidatedUser {
  const { sub, client_id: client, scope, scp, scopes, ...others } = claims;
  const id = sub ?? client;
  if (typeof id !== 'string' || id === '') return null;
  return { id, scopes: listOf(scope ?? scp ?? scopes), claims: others };
}

function listOf(scopes: unknown): string[] {
  const list = typeof scopes === 'string' ? scopes.split(' ') : scopes;
  return Array.isArray(list) ? list.filter((scope) => typeof scope === 'string' && scope !== '') : [];
}
