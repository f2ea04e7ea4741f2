import { Logger } from '@nestjs/common';
import { bytesOf } from '../../http/json-body.js';
import type { UrlGuard } from '../../interfaces/url-guard.js';
import { NotificationSecrets } from '../../push-notifications/signing/notification-secrets.js';
import { NotificationSignatureError } from '../../push-notifications/signing/notification-signature-error.js';
import {
  verifyNotification,
  type VerificationKeys,
} from '../../push-notifications/signing/verify-notification.js';
import type { IncomingNotification } from '../incoming-notification.js';
import { DEFAULT_TOLERANCE_SECONDS, type SignatureCheck } from '../webhook-options.js';
import { publicKeys } from './public-keys.js';

/** Verifies signatures as the options say. */
export class SignatureVerifier {
  readonly #logger = new Logger('A2AWebhookModule');
  readonly #keys: VerificationKeys;
  readonly #urls: readonly string[];
  readonly #toleranceMs: number;

  /** Throws an Error for a secret that cannot be used. */
  constructor({ url, hmac = [], jwks, toleranceSeconds }: SignatureCheck, guard: UrlGuard) {
    this.#urls = [url].flat();
    this.#toleranceMs = (toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS) * 1_000;
    this.#keys = {
      secrets: new NotificationSecrets(hmac, 'A2AWebhookModule: signature.hmac'),
      ...(jwks !== undefined && { publicKey: publicKeys(jwks, guard) }),
    };
  }

  /** Name of the key. Throws NotificationSignatureError, and an A2AError for a body that did not come whole. */
  async verify(incoming: IncomingNotification): Promise<string> {
    const { id = '', timestamp = '', signature = '' } = incoming;
    const body = bytesOf(incoming.body);
    let failure: unknown;
    for (const url of this.#urls) {
      try {
        const signed = { id, timestamp, signature, url, body };
        return (await verifyNotification(signed, this.#keys, this.#toleranceMs)).kid;
      } catch (error) {
        failure = error;
        // Only for another receiver it could still be one.
        if (!(error instanceof NotificationSignatureError) || error.reason !== 'invalid-signature') break;
      }
    }
    if (failure instanceof NotificationSignatureError && failure.reason === 'keys-unavailable')
      this.#logger.error(`The keys of a sender of notifications could not be had: ${causeOf(failure)}`);
    throw failure;
  }
}

function causeOf({ cause }: NotificationSignatureError): string {
  return cause instanceof Error ? cause.message : 'unknown';
}
