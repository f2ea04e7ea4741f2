import type { Credential } from './credential.js';
import { SuppliedCredential, type CredentialOptions, type Supplier } from './supplied-credential.js';

/**
 * An API key, or a function that gives it. The card says whether it travels in a header, the query or a cookie.
 *
 * @throws TypeError for an empty key, or origins that are none.
 * @publicApi
 */
export function apiKeyCredential(key: string | Supplier, options?: CredentialOptions): Credential {
  return new SuppliedCredential('apiKey', key, options);
}
