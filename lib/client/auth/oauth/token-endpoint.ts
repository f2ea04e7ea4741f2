import type { AuthorizationServer, Client, ClientAuth, DeviceAuthorizationResponse } from 'oauth4webapi';
import { asTokenRequestError } from './as-token-request-error.js';
import type { OAuthLibrary } from './load-oauth.js';
import type { OAuthEndpoints } from './oauth-endpoints.js';
import type { OAuthFetch } from './oauth-fetch.js';
import { TokenRequestError } from './token-request-error.js';
import { tokenSetOf, type TokenSet } from './token-set.js';

/** What the requests of one client need. */
export interface TokenEndpointSetup {
  readonly oauth: OAuthLibrary;
  readonly fetch: OAuthFetch;
  readonly endpoints: OAuthEndpoints;
  readonly client: Client;
  readonly authentication: ClientAuth;
}

/** Asks an authorization server. Every method throws TokenRequestError. */
export class TokenEndpoint {
  readonly #options: { readonly [option: symbol]: unknown };

  constructor(private readonly setup: TokenEndpointSetup) {
    const { oauth, fetch } = setup;
    // What is http and not on this machine is refused by the fetch.
    this.#options = { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true };
  }

  request(grantType: string, parameters: Readonly<Record<string, string>>): Promise<TokenSet> {
    return this.#request(grantType, parameters, this.setup.endpoints.tokenUrl);
  }

  /** Of tokens that have a refresh token. */
  refresh(previous: TokenSet, parameters: Readonly<Record<string, string>>): Promise<TokenSet> {
    const { tokenUrl, refreshUrl = tokenUrl } = this.setup.endpoints;
    const all = { ...parameters, refresh_token: previous.refreshToken!.reveal() };
    return this.#request('refresh_token', all, refreshUrl, previous);
  }

  /** Begins the device flow (RFC 8628 §3.1). */
  async authorizeDevice(parameters: Readonly<Record<string, string>>): Promise<DeviceAuthorizationResponse> {
    const { oauth, client, authentication, endpoints } = this.setup;
    const url = endpoints.deviceAuthorizationUrl;
    if (url === undefined) {
      throw new TokenRequestError(
        `${new URL(endpoints.tokenUrl).origin} has no device authorization endpoint: give a deviceAuthorizationUrl`,
      );
    }
    const server = { issuer: endpoints.issuer, device_authorization_endpoint: url };
    try {
      const response = await oauth.deviceAuthorizationRequest(
        server,
        client,
        authentication,
        parameters,
        this.#options,
      );
      return await oauth.processDeviceAuthorizationResponse(server, client, response);
    } catch (error) {
      throw asTokenRequestError(oauth, error, new URL(url).origin);
    }
  }

  async #request(
    grantType: string,
    parameters: Readonly<Record<string, string>>,
    url: string,
    previous?: TokenSet,
  ): Promise<TokenSet> {
    const { oauth, client, authentication, endpoints } = this.setup;
    const server: AuthorizationServer = { issuer: endpoints.issuer, token_endpoint: url };
    const requestedAt = Date.now();
    try {
      const response = await oauth.genericTokenEndpointRequest(
        server,
        client,
        authentication,
        grantType,
        parameters,
        this.#options,
      );
      const tokens = await oauth.processGenericTokenEndpointResponse(
        server,
        client,
        await withoutIdToken(response),
      );
      if (tokens.token_type !== 'bearer') throw new TokenRequestError('The tokens are no bearer tokens');
      return tokenSetOf(tokens, requestedAt, previous);
    } catch (error) {
      throw asTokenRequestError(oauth, error, new URL(url).origin);
    }
  }
}

/** Nobody here reads it, and to check it one would have to know its issuer, which a card does not say. */
async function withoutIdToken(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const text = await response.text();
  const { status, headers } = response;
  try {
    const { id_token: _, ...others } = JSON.parse(text) as Record<string, unknown>;
    return new Response(JSON.stringify(others), { status, headers });
  } catch {
    return new Response(text, { status, headers });
  }
}
