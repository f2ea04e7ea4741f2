import type { JSONWebKeySet, JWK, JWTPayload } from 'jose';
import type { KeyObject } from 'node:crypto';
import type { ValidatedUser } from '../schemes/validated.js';

/** What every JWT is checked for, whatever its key. */
export interface JwtChecks {
  /** The accepted algorithms. By default all asymmetric ones of the key's kind, or HS256, HS384 and HS512 for a secret. */
  readonly algorithms?: readonly string[];
  /** Accepted `typ` headers; absent counts as `JWT`. Default `['JWT', 'at+jwt']`. */
  readonly types?: readonly string[];
  /** By how much clocks may differ, in seconds. Default 5. */
  readonly clockToleranceSeconds?: number;
  /** How long a verified token is not verified again, in seconds, and never past its `exp`. At most 60, the default; 0 verifies every time. */
  readonly cacheSeconds?: number;
  /**
   * Makes the user of the claims; nothing refuses the token. Default: `sub` (else `client_id`) is the id, and `scope`, `scp` or `scopes` the
   * scopes. Different issuers may use one `sub` for different users: where an agent accepts several, tell them apart here.
   */
  readonly user?: (claims: JWTPayload) => ValidatedUser | Promise<ValidatedUser>;
}

/** Tokens of an issuer whose keys are published, and change. */
export interface JwksOptions extends JwtChecks {
  /** URL of the key set, https unless it is on this machine, or the set itself. */
  readonly jwks: string | URL | JSONWebKeySet;
  readonly issuer: string | readonly string[];
  /** The name of this agent for the issuer: tokens for others are refused. */
  readonly audience: string | readonly string[];
  /** How long the keys are kept, in ms. Default 600 000. */
  readonly jwksMaxAgeMs?: number;
  /** A token with an unknown key has the keys fetched again, at most this often, in ms. Default 30 000. */
  readonly jwksCooldownMs?: number;
}

/** Tokens signed with a secret that both sides know. */
export interface SecretOptions extends JwtChecks {
  /** At least 32 bytes. */
  readonly secret: string | Uint8Array;
  readonly issuer?: string | readonly string[];
  readonly audience?: string | readonly string[];
}

/** Tokens of an issuer with one known key. */
export interface PublicKeyOptions extends JwtChecks {
  /** PEM, JWK or KeyObject. */
  readonly publicKey: string | JWK | KeyObject;
  readonly issuer?: string | readonly string[];
  readonly audience?: string | readonly string[];
}

export type JwtOptions = JwksOptions | SecretOptions | PublicKeyOptions;
