import type { UnsignedNotification } from '../../interfaces/notification-signing.js';

/** The `typ` of a JWS over a notification. */
export const NOTIFICATION_TYP = 'a2a-notification';

/** Name of HMAC-SHA256 in the signature header. */
export const HMAC = 'hmac-sha256';

/** Name of a detached JWS in the signature header. */
export const JWS = 'jws';

/** What is signed: id, seconds, URL and body, divided by line feeds, which neither of the first three can hold. */
export function signedText({ id, url, body }: UnsignedNotification, seconds: number | string): Buffer {
  return Buffer.concat([Buffer.from(`${id}\n${seconds}\n${normalUrl(url)}\n`), body]);
}

/** Both sides may write the URL their way, as with and without the slash of an empty path. */
function normalUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}
