import type { Credential, CredentialQuery } from '../credential.js';
import { namedOrigins } from '../origins.js';
import type { Secret } from '../secret.js';
import { checkOAuthOptions } from './check-oauth-options.js';
import { clientAuthentication } from './client-authentication.js';
import { loadOAuth } from './load-oauth.js';
import { findEndpoints } from './oauth-endpoints.js';
import { oauthFetch } from './oauth-fetch.js';
import type { OAuthOptions } from './oauth-options.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TokenKeeper } from './token-keeper.js';
import { TokenRequestError } from './token-request-error.js';
import type { TokenSet } from './token-set.js';

/** What a grant gets its tokens with. */
export interface Grant {
  readonly endpoint: TokenEndpoint;
  /** Scope and the like. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: CredentialQuery;
  /** Aborts when nobody waits any more. */
  readonly abandoned: AbortSignal;
}

/** Cards change, and with them what is asked for: that many purposes are kept, the latest. */
const MAX_KEEPERS = 64;

/** What a server says of a refresh token that does not do, or not for this client: then one begins anew. */
const SPENT: ReadonlySet<string | undefined> = new Set([
  'invalid_grant',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
]);

/** Tokens of an authorization server: for each agent, set of scopes and place that the card names it keeps its own. */
export class OAuthCredential implements Credential {
  readonly kind = 'bearer';
  readonly origins?: readonly string[];
  readonly #options: OAuthOptions;
  readonly #obtain: (grant: Grant) => Promise<TokenSet>;
  readonly #keepers = new Map<string, TokenKeeper>();

  /**
   * @param obtain gets the first tokens, and others where there is no refresh token or it does not do any more.
   * @throws TypeError for options that cannot work, or cannot be safe.
   */
  constructor(options: OAuthOptions, obtain: (grant: Grant) => Promise<TokenSet>) {
    checkOAuthOptions(options);
    if (options.origins) this.origins = namedOrigins(options.origins, 'origins');
    this.#options = options;
    this.#obtain = obtain;
  }

  value(query: CredentialQuery): Promise<Secret> {
    return this.#keeperFor(query).token(query.signal);
  }

  renew(query: CredentialQuery, refused: Secret): Promise<boolean> {
    return this.#keeperFor(query).renew(refused, query.signal);
  }

  #keeperFor(query: CredentialQuery): TokenKeeper {
    const scopes = [...(this.#options.scopes ?? query.scopes)].toSorted();
    const key = JSON.stringify([query.agentOrigin, query.origin, query.scheme, scopes]);
    let keeper = this.#keepers.get(key);
    if (!keeper) {
      // Those who join later have other signals.
      const { signal: _, ...purpose } = query;
      keeper = new TokenKeeper((previous, abandoned) => this.#get(purpose, scopes, previous, abandoned));
    }
    // The latest last.
    this.#keepers.delete(key);
    this.#keepers.set(key, keeper);
    const [oldest] = this.#keepers.keys();
    if (this.#keepers.size > MAX_KEEPERS && oldest !== undefined) this.#keepers.delete(oldest);
    return keeper;
  }

  async #get(
    query: CredentialQuery,
    scopes: readonly string[],
    previous: TokenSet | undefined,
    abandoned: AbortSignal,
  ): Promise<TokenSet> {
    const endpoint = await this.#endpointFor(query);
    const { parameters = {} } = this.#options;
    if (previous?.refreshToken) {
      try {
        return await endpoint.refresh(previous, parameters);
      } catch (error) {
        // When the server could not be asked, or is in trouble, the refresh token may still do.
        if (!(error instanceof TokenRequestError && SPENT.has(error.code))) throw error;
      }
    }
    const scope = scopes.join(' ');
    return this.#obtain({
      endpoint,
      parameters: { ...parameters, ...(scope !== '' && { scope }) },
      query,
      abandoned,
    });
  }

  async #endpointFor(query: CredentialQuery): Promise<TokenEndpoint> {
    const oauth = await loadOAuth();
    const fetch = oauthFetch(this.#options.dispatcher);
    const [endpoints, authentication] = await Promise.all([
      findEndpoints(oauth, fetch, this.#options, query),
      clientAuthentication(oauth, this.#options),
    ]);
    const client = { client_id: this.#options.clientId };
    return new TokenEndpoint({ oauth, fetch, endpoints, client, authentication });
  }
}
