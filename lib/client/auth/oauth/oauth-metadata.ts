import type { AuthorizationServer } from 'oauth4webapi';
import type { OAuthLibrary } from './load-oauth.js';
import type { OAuthFetch } from './oauth-fetch.js';
import { asTokenRequestError } from './as-token-request-error.js';
import { TokenRequestError } from './token-request-error.js';

/**
 * The metadata of an authorization server (OpenID Connect Discovery, else RFC 8414), which must say that they are its.
 *
 * @returns undefined when it has none.
 * @throws TokenRequestError
 */
export async function metadataOfIssuer(
  oauth: OAuthLibrary,
  fetch: OAuthFetch,
  issuer: string,
): Promise<AuthorizationServer | undefined> {
  const url = new URL(issuer);
  try {
    for (const algorithm of ['oidc', 'oauth2'] as const) {
      const response = await oauth.discoveryRequest(url, {
        algorithm,
        [oauth.customFetch]: fetch,
        // What is http and not on this machine is refused by the fetch.
        [oauth.allowInsecureRequests]: true,
      });
      if (response.status === 200) return await oauth.processDiscoveryResponse(url, response);
      if (response.status >= 500) throw unexpected(url, response.status);
    }
    return undefined;
  } catch (error) {
    throw asTokenRequestError(oauth, error, url.origin);
  }
}

/**
 * The metadata at a URL that a card names.
 *
 * @throws TokenRequestError
 */
export async function metadataAt(
  oauth: OAuthLibrary,
  fetch: OAuthFetch,
  href: string,
): Promise<AuthorizationServer> {
  const url = new URL(href);
  try {
    const response = await fetch(href, { method: 'GET', headers: { accept: 'application/json' } });
    if (response.status !== 200) throw unexpected(url, response.status);
    const { issuer } = (await response.clone().json()) as { issuer?: unknown };
    const isItsOwn =
      typeof issuer === 'string' && URL.canParse(issuer) && new URL(issuer).origin === url.origin;
    if (!isItsOwn) throw new TokenRequestError(`The metadata at ${url.origin} are of another issuer`);
    return await oauth.processDiscoveryResponse(new URL(issuer), response);
  } catch (error) {
    throw asTokenRequestError(oauth, error, url.origin);
  }
}

function unexpected({ origin }: URL, status: number): TokenRequestError {
  return new TokenRequestError(`${origin} answered ${status}, and not with its metadata`, { status });
}
