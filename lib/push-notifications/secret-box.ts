import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { SecretKey, SecretsOptions } from '../interfaces/secrets-options.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'sealed:v1:';
const SEALED = /^sealed:v1:([\w-]{1,64}):([\w-]+)$/;
const KEY_ID = /^[\w-]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** `unknown-key`: none of the keys has its id; `forged`: it was changed, or belongs elsewhere; `plain`: it was never sealed. */
export type UnreadableReason = 'unknown-key' | 'forged' | 'plain';

/** A stored secret cannot be read. The message says why and what to do, and nothing of the secret. */
export class UnreadableSecretError extends Error {
  constructor(
    readonly reason: UnreadableReason,
    message: string,
  ) {
    super(message);
    this.name = 'UnreadableSecretError';
  }
}

/**
 * Seals texts with AES-256-GCM. What is sealed names its key, and opens only at the place that it was sealed for: moved elsewhere, or with another
 * text around it, it is as good as forged.
 */
export class SecretBox {
  readonly #keys = new Map<string, KeyObject>();
  readonly #first: string;
  readonly #refusesPlain: boolean;

  /** Throws TypeError for keys that are none. */
  constructor({ keys, plain = 'read' }: SecretsOptions) {
    const [first] = keys;
    if (!first) throw new TypeError('secrets.keys is empty: give it at least one key');
    this.#first = first.id;
    this.#refusesPlain = plain === 'refuse';
    keys.forEach((key, index) => {
      const { id } = key;
      if (typeof id !== 'string' || !KEY_ID.test(id))
        throw new TypeError(
          `secrets.keys[${index}].id must be 1 to 64 letters, digits, "-" and "_": name it, for instance, after its date`,
        );
      if (this.#keys.has(id))
        throw new TypeError(`secrets.keys has two keys with the id "${id}": give each an id of its own`);
      this.#keys.set(id, readKey(key, index));
    });
  }

  /** @param place what the secret belongs to; the same is needed to open it. */
  seal(text: string, place: readonly string[]): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#keys.get(this.#first)!, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(additionalData(this.#first, place));
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${PREFIX}${this.#first}:${sealed.toString('base64url')}`;
  }

  /** Throws UnreadableSecretError. */
  open(text: string, place: readonly string[]): string {
    const [, id, sealed] = SEALED.exec(text) ?? [];
    if (id === undefined || sealed === undefined) return this.#plain(text);
    const key = this.#keys.get(id);
    if (!key) {
      throw new UnreadableSecretError(
        'unknown-key',
        `A stored secret was sealed with the key "${id}", which secrets.keys does not have: add it, behind the first one`,
      );
    }
    return decrypt(key, Buffer.from(sealed, 'base64url'), additionalData(id, place));
  }

  #plain(text: string): string {
    if (text.startsWith(PREFIX)) throw forged();
    if (!this.#refusesPlain) return text;
    throw new UnreadableSecretError(
      'plain',
      'A stored secret is not sealed, and secrets.plain refuses such: have the webhook created again, or set secrets.plain to "read"',
    );
  }
}

function decrypt(key: KeyObject, sealed: Buffer, additional: Buffer): string {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw forged();
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(additional).setAuthTag(sealed.subarray(end));
  const text = decipher.update(sealed.subarray(IV_BYTES, end));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    throw forged();
  }
}

function forged(): UnreadableSecretError {
  return new UnreadableSecretError(
    'forged',
    'A stored secret is not the one that was sealed for its webhook: its row was changed, or its key is another under the same id',
  );
}

/** As JSON, so that no choice of names makes two places one. */
function additionalData(id: string, place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([PREFIX, id, ...place]));
}

function readKey({ key }: SecretKey, index: number): KeyObject {
  const bytes = typeof key === 'string' ? (BASE64.test(key) ? Buffer.from(key, 'base64') : undefined) : key;
  if (bytes instanceof Uint8Array && bytes.length === KEY_BYTES) return createSecretKey(bytes);
  throw new TypeError(
    `secrets.keys[${index}].key must be ${KEY_BYTES} bytes, or their base64: make one with "openssl rand -base64 ${KEY_BYTES}"`,
  );
}
