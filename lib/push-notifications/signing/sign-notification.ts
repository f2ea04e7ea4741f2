import type { DetachedSigner } from '../../interfaces/card-signing.js';
import type { UnsignedNotification } from '../../interfaces/notification-signing.js';
import {
  NOTIFICATION_SIGNATURE_HEADER,
  NOTIFICATION_TIMESTAMP_HEADER,
} from '../../protocol/notification-headers.js';
import type { NotificationSecrets } from './notification-secrets.js';
import { HMAC, JWS, NOTIFICATION_TYP, signedText } from './signed-text.js';

/** What a notification is signed with. */
export interface SigningKeys {
  readonly secrets?: NotificationSecrets;
  readonly signer?: DetachedSigner;
}

/**
 * Signs a notification with every key.
 * @param now in ms.
 * @returns the headers that prove it; none without keys.
 */
export async function signNotification(
  notification: UnsignedNotification,
  { secrets, signer }: SigningKeys,
  now = Date.now(),
): Promise<Readonly<Record<string, string>>> {
  const seconds = Math.floor(now / 1_000);
  const text = signedText(notification, seconds);
  const codes = secrets?.codesOf(text) ?? [];
  const signatures = [
    ...codes.map(({ kid, code }) => `${HMAC} ${kid} ${code}`),
    ...((await signer?.sign(text, NOTIFICATION_TYP)) ?? []).map((jws) => `${JWS} ${jws}`),
  ];
  if (signatures.length === 0) return {};
  return {
    [NOTIFICATION_TIMESTAMP_HEADER]: String(seconds),
    [NOTIFICATION_SIGNATURE_HEADER]: signatures.join(', '),
  };
}
