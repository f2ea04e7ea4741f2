/** What is wrong with the signature of a notification. */
export type NotificationSignatureReason =
  /** There is none, or what belongs to one is missing. */
  | 'unsigned'
  /** The headers cannot be read. */
  | 'malformed'
  /** It was made too long ago, or by a clock that is ahead. */
  | 'stale'
  /** It is of keys that are not known here. */
  | 'unknown-key'
  /** It is of another notification, or made with another key. */
  | 'invalid-signature'
  /** The keys of the sender cannot be had at present. */
  | 'keys-unavailable';

const TEXTS: Readonly<Record<NotificationSignatureReason, string>> = {
  unsigned: 'The notification is not signed',
  malformed: 'The signature of the notification cannot be read',
  stale: 'The signature of the notification is not of this time',
  'unknown-key': 'The notification is signed with keys that are not known here',
  'invalid-signature': 'The signature is not one of this notification',
  'keys-unavailable': 'The keys that verify the notification cannot be had at present',
};

/**
 * The signature of a notification proves nothing.
 *
 * @publicApi
 */
export class NotificationSignatureError extends Error {
  override readonly name = 'NotificationSignatureError';

  constructor(
    readonly reason: NotificationSignatureReason,
    options?: ErrorOptions,
  ) {
    super(TEXTS[reason], options);
  }
}
