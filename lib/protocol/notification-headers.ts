/**
 * Headers of a push notification, besides `Authorization` and `A2A-Version`. The specification (§4.3.3) leaves them to the implementation.
 */

/** Names a notification: the same each time it is sent, and of no other. */
export const NOTIFICATION_ID_HEADER = 'X-A2A-Notification-Id';

/** The `token` of the webhook's config. */
export const NOTIFICATION_TOKEN_HEADER = 'X-A2A-Notification-Token';

/** When it was signed, in whole seconds since 1970: another one each time it is sent. */
export const NOTIFICATION_TIMESTAMP_HEADER = 'X-A2A-Notification-Timestamp';

/** Signatures, divided by commas: `hmac-sha256 <kid> <base64url>` or `jws <protected header>..<signature>`. */
export const NOTIFICATION_SIGNATURE_HEADER = 'X-A2A-Notification-Signature';
