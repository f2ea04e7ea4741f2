import type { CredentialQuery } from '../credential.js';
import { UnusableCredentialError } from '../credential-errors.js';
import { isConfidential, originOf } from '../origins.js';
import { cardEndpoints, cardMetadataUrl, type NamedEndpoints } from './card-endpoints.js';
import type { OAuthLibrary } from './load-oauth.js';
import type { OAuthFetch } from './oauth-fetch.js';
import { metadataAt, metadataOfIssuer } from './oauth-metadata.js';
import type { OAuthOptions } from './oauth-options.js';
import { TokenRequestError } from './token-request-error.js';

/** Where an authorization server is asked. */
export interface OAuthEndpoints extends NamedEndpoints {
  /** As it names itself; the token endpoint where that is not known. */
  readonly issuer: string;
}

/**
 * Finds the endpoints: the application's own, else those in the metadata of the issuer that it names, else those of the card, as far as their
 * origin is trusted.
 *
 * @throws UnusableCredentialError where the card names others or none, TokenRequestError where metadata cannot be had.
 */
export async function findEndpoints(
  oauth: OAuthLibrary,
  fetch: OAuthFetch,
  options: OAuthOptions,
  query: CredentialQuery,
): Promise<OAuthEndpoints> {
  const { tokenUrl, issuer, deviceAuthorizationUrl } = options;
  const own = deviceAuthorizationUrl === undefined ? {} : { deviceAuthorizationUrl };
  if (tokenUrl !== undefined) return { issuer: issuer ?? tokenUrl, tokenUrl, ...own };
  const metadata = issuer === undefined ? undefined : await metadataOfIssuer(oauth, fetch, issuer);
  const found = metadata
    ? fromMetadata(metadata, query)
    : await endpointsOfCard(oauth, fetch, options, query);
  return { ...found, ...own };
}

async function endpointsOfCard(
  oauth: OAuthLibrary,
  fetch: OAuthFetch,
  { issuer, allowOrigins = [] }: OAuthOptions,
  query: CredentialQuery,
): Promise<OAuthEndpoints> {
  const trusted = new Set([originOf(issuer) ?? query.agentOrigin, ...allowOrigins.map(originOf)]);
  const named = cardEndpoints(query.scheme);
  if (named) {
    checkTrust(named, trusted, query);
    return { issuer: issuer ?? named.tokenUrl, ...named };
  }
  const url = cardMetadataUrl(query.scheme);
  if (url === undefined) throw nowhere(query);
  checkTrust({ tokenUrl: url }, trusted, query);
  const found = fromMetadata(await metadataAt(oauth, fetch, url), query);
  checkTrust(found, trusted, query);
  return found;
}

type Metadata = NonNullable<Awaited<ReturnType<typeof metadataOfIssuer>>>;

function fromMetadata(metadata: Metadata, query: CredentialQuery): OAuthEndpoints {
  const {
    issuer,
    token_endpoint: tokenUrl,
    device_authorization_endpoint: deviceAuthorizationUrl,
  } = metadata;
  if (tokenUrl === undefined) throw nowhere(query);
  if ([tokenUrl, deviceAuthorizationUrl ?? tokenUrl].some((url) => originOf(url) === undefined)) {
    throw new TokenRequestError(
      'The metadata of the authorization server name an endpoint that is no URL of HTTP',
    );
  }
  return { issuer, tokenUrl, deviceAuthorizationUrl };
}

/** Whoever is asked for tokens gets the client's secret. */
function checkTrust(
  named: NamedEndpoints,
  trusted: ReadonlySet<string | undefined>,
  query: CredentialQuery,
): void {
  for (const url of [named.tokenUrl, named.refreshUrl, named.deviceAuthorizationUrl]) {
    if (url === undefined) continue;
    const origin = originOf(url);
    if (origin === undefined || !isConfidential(origin) || !trusted.has(origin)) {
      throw new UnusableCredentialError(
        query.schemeName,
        `the card says that tokens come from ${origin ?? 'what is no URL of HTTP'}, which is not trusted: name its issuer, or allowOrigins`,
      );
    }
  }
}

function nowhere({ schemeName }: CredentialQuery): UnusableCredentialError {
  return new UnusableCredentialError(
    schemeName,
    'nobody says where tokens come from: give an issuer or a tokenUrl',
  );
}
