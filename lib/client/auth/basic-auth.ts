import type { Credential } from './credential.js';
import { SuppliedCredential, type CredentialOptions } from './supplied-credential.js';

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * A user name and password (RFC 7617).
 *
 * @throws TypeError for a name with a colon, control characters, or origins that are none.
 * @publicApi
 */
export function basicAuth(username: string, password: string, options?: CredentialOptions): Credential {
  if (username.includes(':')) throw new TypeError('basicAuth(): a user name cannot have a colon');
  if (CONTROL.test(username) || CONTROL.test(password)) {
    throw new TypeError('basicAuth(): names and passwords cannot have control characters');
  }
  return new SuppliedCredential('basic', `${username}:${password}`, options);
}
