import type { GuardedScheme } from '../../interfaces/security.js';
import type { OAuthFlows } from '../../protocol/model.js';
import { Introspector, type IntrospectionChecks, type IntrospectionOptions } from '../tokens/introspector.js';
import type { JwksOptions } from '../tokens/jwt-options.js';
import { JwtVerifier } from '../tokens/jwt-verifier.js';
import { bearer } from './http-bearer.js';

interface Described {
  readonly description?: string;
  /** How clients get tokens, for the card. */
  readonly flows: OAuthFlows;
  /** URL of the authorization server's metadata (RFC 8414), for the card. */
  readonly metadataUrl?: string;
}

/** Access tokens are JWTs (RFC 9068), or the authorization server is asked about each (RFC 7662). */
export type OAuth2Options = Described &
  (
    | JwksOptions
    | (IntrospectionChecks & {
        readonly introspection: IntrospectionOptions;
        /** The name of this agent for the authorization server: tokens for others are refused. */
        readonly audience: string | readonly string[];
      })
  );

/**
 * A scheme with OAuth 2.0 access tokens.
 *
 * @throws TypeError or RangeError when the options cannot be safe.
 * @publicApi
 */
export function oauth2(options: OAuth2Options): GuardedScheme {
  const { description, flows, metadataUrl } = options;
  const verifier =
    'introspection' in options ? new Introspector(options.introspection, options) : new JwtVerifier(options);
  return {
    scheme: {
      oauth2SecurityScheme: {
        flows,
        ...(description !== undefined && { description }),
        ...(metadataUrl !== undefined && { oauth2MetadataUrl: metadataUrl }),
      },
    },
    guard: { authenticate: bearer((token) => verifier.verify(token)) },
  };
}
