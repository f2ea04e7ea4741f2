import type { AgentCard, SecurityScheme } from '../../protocol/model.js';
import type { OperationName } from '../../protocol/operations.js';
import type { Secret } from './secret.js';

/** The call that a credential is wanted for. */
export interface CredentialQuery {
  /** Name of the scheme on the card. */
  readonly schemeName: string;
  readonly scheme: SecurityScheme;
  /** What the card requires, of the agent and of the skill that the message names. */
  readonly scopes: readonly string[];
  /** Where it would be sent. */
  readonly origin: string;
  /** Origin of the URL that the client was made with; undefined for a client that was made with a card. */
  readonly agentOrigin: string | undefined;
  readonly operation: OperationName;
  /** As the agent says it: not to be trusted with more than its own origin may be. */
  readonly card: AgentCard;
  readonly tenant?: string;
  readonly signal?: AbortSignal;
}

/**
 * What kind of scheme a credential is for: `bearer` for OAuth 2.0, OpenID Connect and every HTTP scheme but Basic, `connection` for
 * client certificates.
 */
export type CredentialKind = 'bearer' | 'basic' | 'apiKey' | 'connection';

/**
 * Something that proves who calls. `bearer()`, `basicAuth()`, `apiKeyCredential()`, `clientCredentials()` and `deviceCode()` make some.
 *
 * @publicApi
 */
export interface Credential {
  readonly kind: CredentialKind;
  /** The only origins that get it, as in `https://billing.example`. Default: that of the URL which the client was made with, and its `trustedOrigins`. */
  readonly origins?: readonly string[];
  /**
   * Asked for every exchange, and only when the credential is going to be sent: a token or key as it is, `user:password` for Basic. What
   * it throws is what the call throws.
   */
  value(query: CredentialQuery): Secret | Promise<Secret>;
  /** The peer answered 401 to that value. True when `value()` now gives another. Concurrent calls may ask at the same time. */
  renew?(query: CredentialQuery, refused: Secret): boolean | Promise<boolean>;
}
