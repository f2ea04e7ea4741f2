/** Why a card was not taken. */
export type CardVerificationReason =
  /** It has no signature, and the policy asks for one. */
  | 'unsigned'
  /** None of its signatures names a key that is trusted. */
  | 'unknown-key'
  /** A trusted key is named, but its signature is not of this card, or it is made in a way that is not allowed. */
  | 'invalid-signature'
  /** The keys could not be fetched. */
  | 'keys-unavailable';

/**
 * A card that cannot be trusted.
 *
 * @publicApi
 */
export class AgentCardVerificationError extends Error {
  override readonly name = 'AgentCardVerificationError';

  constructor(
    readonly reason: CardVerificationReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
