import type { Credential, CredentialQuery } from './credential.js';

/**
 * Knows which credential to use for a scheme of an agent. Applications with a vault write their own; it is also a token of dependency
 * injection. Where a credential may be sent is checked after it: by its `origins`, else by the origin that the client was made with.
 *
 * @publicApi
 * @example
 * class Vault extends CredentialService {
 *   credentialsFor({ schemeName, origin }: CredentialQuery) {
 *     return bearer(() => this.vault.token(schemeName, origin), { origins: [origin] });
 *   }
 * }
 */
export abstract class CredentialService {
  /**
   * Undefined when there is none: the next alternative of the card is tried. Asked for every exchange, and perhaps for schemes that are
   * not used then: leave what takes long to the credential.
   */
  abstract credentialsFor(query: CredentialQuery): Credential | undefined | Promise<Credential | undefined>;
}
