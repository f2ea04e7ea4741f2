import { timingSafeEqual } from 'node:crypto';
import { errors, flattenedVerify, type FlattenedVerifyGetKey } from 'jose';
import type { UnsignedNotification } from '../../interfaces/notification-signing.js';
import { SIGNING_ALGORITHMS } from '../../protocol/signing-algorithms.js';
import type { NotificationSecrets } from './notification-secrets.js';
import {
  NotificationSignatureError,
  type NotificationSignatureReason,
} from './notification-signature-error.js';
import { readSignatures, type ReadSignature } from './signature-header.js';
import { HMAC, JWS, NOTIFICATION_TYP, signedText } from './signed-text.js';

/** A notification as it came, and what its headers say of its signature. */
export interface SignedNotification extends UnsignedNotification {
  /** `X-A2A-Notification-Timestamp`. */
  readonly timestamp: string;
  /** `X-A2A-Notification-Signature`. */
  readonly signature: string;
}

/** The keys that are trusted. */
export interface VerificationKeys {
  readonly secrets?: NotificationSecrets;
  /** Finds the public key that a header names; rejects with an error of jose where there is none. */
  readonly publicKey?: FlattenedVerifyGetKey;
}

/** Whose signature it was. */
export interface VerifiedSignature {
  readonly kid: string;
}

/**
 * Looks for one valid signature by a trusted key.
 * @param toleranceMs how far its time may be from `now`, back and forth.
 * @throws NotificationSignatureError
 */
export async function verifyNotification(
  notification: SignedNotification,
  keys: VerificationKeys,
  toleranceMs: number,
  now = Date.now(),
): Promise<VerifiedSignature> {
  const { timestamp, signature } = notification;
  if (timestamp === '' || signature === '' || notification.id === '')
    throw new NotificationSignatureError('unsigned');
  const signatures = readSignatures(signature);
  if (!/^\d{1,12}$/.test(timestamp) || !signatures) throw new NotificationSignatureError('malformed');
  if (Math.abs(now - Number(timestamp) * 1_000) > toleranceMs) throw new NotificationSignatureError('stale');
  const text = signedText(notification, timestamp);
  const failures: NotificationSignatureError[] = [];
  for (const one of signatures) {
    // Keys that could not be had for one are not asked for again.
    if (one.kind === JWS && failures.some(({ reason }) => reason === 'keys-unavailable')) continue;
    try {
      return { kid: one.kind === HMAC ? checkCode(one, text, keys) : await checkJws(one, text, keys) };
    } catch (error) {
      if (!(error instanceof NotificationSignatureError)) throw error;
      failures.push(error);
    }
  }
  throw worstOf(failures);
}

function checkCode(
  { kid, code }: Extract<ReadSignature, { kind: typeof HMAC }>,
  text: Uint8Array,
  { secrets }: VerificationKeys,
): string {
  const [known] = secrets?.codesOf(text, kid) ?? [];
  if (!known) throw new NotificationSignatureError('unknown-key');
  const [given, right] = [Buffer.from(code), Buffer.from(known.code)];
  // The length of a code is no secret.
  if (given.length === right.length && timingSafeEqual(given, right)) return kid;
  throw new NotificationSignatureError('invalid-signature');
}

async function checkJws(
  { protected: header, signature }: Extract<ReadSignature, { kind: typeof JWS }>,
  text: Buffer,
  { publicKey }: VerificationKeys,
): Promise<string> {
  if (!publicKey) throw new NotificationSignatureError('unknown-key');
  try {
    const jws = { protected: header, signature, payload: text.toString('base64url') };
    const { protectedHeader } = await flattenedVerify(jws, publicKey, {
      algorithms: [...SIGNING_ALGORITHMS],
    });
    if (protectedHeader?.typ === NOTIFICATION_TYP && typeof protectedHeader.kid === 'string')
      return protectedHeader.kid;
  } catch (cause) {
    throw new NotificationSignatureError(reasonOf(cause), { cause });
  }
  throw new NotificationSignatureError('invalid-signature');
}

function reasonOf(error: unknown): NotificationSignatureReason {
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'unknown-key';
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWSInvalid)
    return 'invalid-signature';
  // An algorithm or an extension that is not allowed here.
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return 'invalid-signature';
  return 'keys-unavailable';
}

const SEVERITY: readonly NotificationSignatureReason[] = [
  'invalid-signature',
  'keys-unavailable',
  'unknown-key',
];

/** What says most; without any that could be read, nothing is signed by a key that could be known. */
function worstOf(failures: readonly NotificationSignatureError[]): NotificationSignatureError {
  const [worst] = failures.toSorted((a, b) => SEVERITY.indexOf(a.reason) - SEVERITY.indexOf(b.reason));
  return worst ?? new NotificationSignatureError('unknown-key');
}
