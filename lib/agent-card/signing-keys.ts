import { createPrivateKey, createPublicKey, KeyObject, type JsonWebKey as NodeJwk } from 'node:crypto';
import type { CardSigningKey, CardSigningOptions, JsonWebKey } from '../interfaces/card-signing.js';
import {
  fitsAlgorithm,
  isSigningAlgorithm,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../protocol/signing-algorithms.js';

/** A key that was read and found good. */
export interface ReadySigningKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly privateKey: KeyObject;
}

/** Reads the keys of the options. Throws an Error that tells which one is wrong, never what is in it. */
export function readSigningKeys({ keys = [] }: Partial<CardSigningOptions>): ReadySigningKey[] {
  if (keys.length === 0) throw new Error('signing.keys is empty: give it a key, or leave signing out');
  const ready = keys.map(readKey);
  const twice = ready.find(({ kid }, i) => ready.findIndex((other) => other.kid === kid) !== i);
  if (twice)
    throw new Error(`signing.keys has two keys with the kid ${JSON.stringify(twice.kid)}: give each its own`);
  return ready;
}

/** The public halves, for verifiers. */
export function publicJwks(keys: readonly ReadySigningKey[]): { readonly keys: readonly JsonWebKey[] } {
  return {
    keys: keys.map(({ kid, alg, privateKey }) => ({
      ...createPublicKey(privateKey as never).export({ format: 'jwk' }),
      kid,
      alg,
      use: 'sig',
    })),
  };
}

function readKey({ kid, alg, privateKey }: CardSigningKey, index: number): ReadySigningKey {
  const place = `signing.keys[${index}]`;
  if (typeof kid !== 'string' || kid === '') throw new Error(`${place} has no kid: name the key`);
  if (!isSigningAlgorithm(alg)) {
    throw new Error(
      `${place} has the alg ${JSON.stringify(alg)}: use one of ${SIGNING_ALGORITHMS.join(', ')}`,
    );
  }
  const key = toKeyObject(privateKey, place);
  if (!fitsAlgorithm(key, alg)) {
    throw new Error(
      `${place} cannot sign with ${alg}: its key is of another kind or curve, or an RSA key below 2048 bits`,
    );
  }
  return { kid, alg, privateKey: key };
}

function toKeyObject(key: CardSigningKey['privateKey'], place: string): KeyObject {
  if (key instanceof KeyObject) {
    if (key.type === 'private') return key;
    throw new Error(`${place}.privateKey is a ${key.type} key: give it the private one`);
  }
  try {
    return typeof key === 'string'
      ? createPrivateKey(key)
      : createPrivateKey({ key: key as NodeJwk, format: 'jwk' });
  } catch {
    // Without the cause: it may quote the key.
    throw new Error(
      `${place}.privateKey cannot be read: give it a private key as JWK, KeyObject or PEM (PKCS #8)`,
    );
  }
}
