import { createHmac } from 'node:crypto';
import type { NotificationSecret } from '../../interfaces/notification-signing.js';
import { isHttpToken } from '../../protocol/header-value.js';

const MIN_BYTES = 32;

/** Secrets that were looked at. */
export class NotificationSecrets {
  readonly #secrets: readonly NotificationSecret[];

  /**
   * @param place where they stand in the options, for the error.
   * @throws Error that tells which secret cannot be used and why, never what is in it.
   */
  constructor(secrets: readonly NotificationSecret[], place: string) {
    secrets.forEach(({ kid, secret }, i) => {
      if (typeof kid !== 'string' || !isHttpToken(kid) || kid.includes(','))
        throw new Error(`${place}[${i}].kid must be a name without spaces and commas, as in "2026-12"`);
      if (Buffer.byteLength(secret ?? '') < MIN_BYTES)
        throw new Error(
          `${place}[${i}].secret has fewer than ${MIN_BYTES} bytes: make one with randomBytes(32)`,
        );
      if (secrets.findIndex((other) => other.kid === kid) !== i)
        throw new Error(`${place} has two secrets with the kid "${kid}": give each its own`);
    });
    this.#secrets = secrets.map(({ kid, secret }) => ({ kid, secret }));
  }

  /** The codes of all secrets, or of those with one name. */
  codesOf(text: Uint8Array, kid?: string): { readonly kid: string; readonly code: string }[] {
    return this.#secrets
      .filter((one) => kid === undefined || one.kid === kid)
      .map((one) => ({
        kid: one.kid,
        code: createHmac('sha256', one.secret).update(text).digest('base64url'),
      }));
  }
}
