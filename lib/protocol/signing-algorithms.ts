import type { KeyObject } from 'node:crypto';

/** Curve, or kind of key, by the name of the algorithm (RFC 7518, RFC 8037, RFC 9864). */
const KEYS = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
  PS256: 'rsa',
  PS384: 'rsa',
  PS512: 'rsa',
  RS256: 'rsa',
  RS384: 'rsa',
  RS512: 'rsa',
  EdDSA: 'ed25519',
  Ed25519: 'ed25519',
} as const;

/** What cards and notifications may be signed with: only what needs a private key. `none` and shared secrets (HS256 …) are not among them. */
export type SigningAlgorithm = keyof typeof KEYS;

export const SIGNING_ALGORITHMS = Object.keys(KEYS) as readonly SigningAlgorithm[];

/** RFC 7518 §3.3. */
const MIN_RSA_BITS = 2_048;

export function isSigningAlgorithm(name: unknown): name is SigningAlgorithm {
  return typeof name === 'string' && Object.hasOwn(KEYS, name);
}

/** Whether a key can be used with an algorithm, and is strong enough. */
export function fitsAlgorithm(key: KeyObject, alg: SigningAlgorithm): boolean {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (KEYS[alg] === 'rsa') return key.asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS;
  return (namedCurve ?? key.asymmetricKeyType) === KEYS[alg];
}
