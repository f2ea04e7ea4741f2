/** A secret that sender and receiver share. */
export interface NotificationSecret {
  /** Name of the secret, by which receivers find it; a token of HTTP, as in `2026-12`. */
  readonly kid: string;
  /** At least 32 bytes; of a string its UTF-8. */
  readonly secret: string | Uint8Array;
}

/** How push notifications are signed. Every key signs each, so that one can be replaced while receivers still know the old. */
export interface NotificationSigningOptions {
  /** HMAC-SHA256. Every receiver that can check a signature can make one: for receivers that are all yours. */
  readonly hmac?: readonly NotificationSecret[];
  /** Detached JWS with the keys of `signing`; receivers find the public ones at its `jwksPath`. Default false. */
  readonly jws?: boolean;
}

/** What a signature covers, besides the time at which it was made. */
export interface UnsignedNotification {
  /** As in `X-A2A-Notification-Id`. */
  readonly id: string;
  /** Of the webhook, as its config has it: what was sent to one receiver is nothing for another. */
  readonly url: string;
  /** The bytes that are sent. */
  readonly body: Uint8Array;
}

/** Makes the headers that prove where a notification comes from. To be asked anew before each attempt: a signature is good for minutes. */
export abstract class NotificationSigner {
  /** Names and values of headers; none where notifications are not signed. */
  abstract sign(notification: UnsignedNotification): Promise<Readonly<Record<string, string>>>;
}
