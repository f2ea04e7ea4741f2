import { isConfidential, namedOrigins, originOf } from '../origins.js';
import type { OAuthOptions } from './oauth-options.js';

/** Throws TypeError for options that cannot work, or cannot be safe. */
export function checkOAuthOptions(options: OAuthOptions): void {
  const { clientId, clientSecret, privateKey, authentication, allowOrigins } = options;
  if (typeof clientId !== 'string' || clientId === '')
    throw new TypeError('An OAuth client needs a clientId');
  if (clientSecret === '')
    throw new TypeError('The clientSecret is empty: is the variable set that it is read from?');
  if (clientSecret !== undefined && privateKey !== undefined) {
    throw new TypeError('An OAuth client has a clientSecret or a privateKey, not both');
  }
  if (authentication !== undefined && clientSecret === undefined) {
    throw new TypeError(`${authentication} needs a clientSecret`);
  }
  for (const name of ['issuer', 'tokenUrl', 'deviceAuthorizationUrl'] as const) checkUrl(name, options[name]);
  if (allowOrigins) namedOrigins(allowOrigins, 'allowOrigins');
}

function checkUrl(name: string, url: string | undefined): void {
  if (url === undefined) return;
  const origin = originOf(url);
  if (origin === undefined || !isConfidential(origin)) {
    throw new TypeError(
      `${name} must be a URL with https, or of this machine: ${origin ?? 'it is none of HTTP'}`,
    );
  }
}
