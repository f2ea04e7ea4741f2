import type { Credential, CredentialQuery } from './credential.js';
import { CredentialService } from './credential-service.js';

/** Credentials by the names that the card gives its schemes. */
export type Credentials = Readonly<Record<string, Credential>>;

/**
 * Has the credentials that it was made with.
 *
 * @publicApi
 */
export class InMemoryCredentialService extends CredentialService {
  readonly #credentials: ReadonlyMap<string, Credential>;

  /** Throws TypeError for what is no credential, as a bare token. */
  constructor(credentials: Credentials) {
    super();
    for (const [name, credential] of Object.entries(credentials)) {
      if (typeof credential?.value === 'function') continue;
      throw new TypeError(
        `credentials.${name} is no credential: make one with bearer(), basicAuth(), apiKeyCredential(), clientCredentials() or deviceCode()`,
      );
    }
    this.#credentials = new Map(Object.entries(credentials));
  }

  override credentialsFor({ schemeName }: CredentialQuery): Credential | undefined {
    return this.#credentials.get(schemeName);
  }
}
