import type { Credential } from '../credential.js';
import { OAuthCredential } from './oauth-credential.js';
import type { OAuthOptions } from './oauth-options.js';

/**
 * Access tokens for the client itself, by the client credentials grant (RFC 6749 §4.4): for OAuth 2.0 and OpenID Connect schemes, or any other
 * that takes bearer tokens. They are kept until shortly before they expire. Needs the package `oauth4webapi`.
 *
 * @throws TypeError for options that cannot work, or cannot be safe.
 * @publicApi
 * @example
 * const credentials = {
 *   oauth: clientCredentials({ issuer: 'https://id.example', clientId: 'planner', clientSecret: process.env.SECRET }),
 * };
 */
export function clientCredentials(options: OAuthOptions): Credential {
  if (options.clientSecret === undefined && options.privateKey === undefined) {
    throw new TypeError(
      'clientCredentials() needs a clientSecret or a privateKey: is the variable set that it is read from?',
    );
  }
  return new OAuthCredential(options, ({ endpoint, parameters }) =>
    endpoint.request('client_credentials', parameters),
  );
}
