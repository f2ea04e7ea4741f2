import type { Credential } from './credential.js';
import { SuppliedCredential, type CredentialOptions, type Supplier } from './supplied-credential.js';

/**
 * A bearer token, for HTTP schemes, OAuth 2.0 and OpenID Connect: the token, or a function that gives it for every exchange and is
 * asked once more, with `refused: true`, when the peer answers 401.
 *
 * @throws TypeError for an empty token, or origins that are none.
 * @publicApi
 */
export function bearer(token: string | Supplier, options?: CredentialOptions): Credential {
  return new SuppliedCredential('bearer', token, options);
}
