import type { GuardedScheme, SchemeOutcome } from '../../interfaces/security.js';
import { DiscoveredIssuer, type IssuerMetadata } from '../tokens/discovered-issuer.js';
import type { JwksOptions } from '../tokens/jwt-options.js';
import { JwtVerifier } from '../tokens/jwt-verifier.js';
import { outage } from '../tokens/outage.js';
import { bearer } from './http-bearer.js';

export interface OpenIdConnectOptions extends Omit<JwksOptions, 'jwks' | 'issuer'> {
  /** The discovery URL, as in `https://id.example.com/.well-known/openid-configuration`. */
  readonly url: string;
  /** By default the one whose well-known path the URL is. */
  readonly issuer?: string;
  readonly description?: string;
}

/**
 * A scheme with the tokens of an OpenID provider, whose keys are found by its discovery document. It is read when the
 * first token comes: a provider that is down at boot keeps nothing from starting.
 *
 * @throws TypeError or RangeError when the options cannot be safe.
 * @publicApi
 */
export function openIdConnect(options: OpenIdConnectOptions): GuardedScheme {
  const { url, description } = options;
  const provider = new DiscoveredProvider(options);
  return {
    scheme: {
      openIdConnectSecurityScheme: {
        openIdConnectUrl: url,
        ...(description !== undefined && { description }),
      },
    },
    guard: { authenticate: bearer((token) => provider.verify(token)) },
  };
}

/** A verifier for what the provider's metadata say at present. */
class DiscoveredProvider {
  readonly #issuer: DiscoveredIssuer;
  #metadata: IssuerMetadata | undefined;
  #verifier: JwtVerifier | undefined;

  constructor(private readonly options: OpenIdConnectOptions) {
    this.#issuer = new DiscoveredIssuer(options.url, options.issuer);
    // Wrong options are to be told now, not when the first token comes.
    this.#make({ issuer: 'https://localhost', jwksUrl: new URL('https://localhost') });
  }

  async verify(token: string): Promise<SchemeOutcome> {
    let metadata: IssuerMetadata;
    try {
      metadata = await this.#issuer.metadata();
    } catch (error) {
      return outage('The discovery document of an OpenID provider', error);
    }
    // Metadata that did not change keep their keys and the tokens that they verified.
    const known = this.#metadata;
    const same = known?.issuer === metadata.issuer && known.jwksUrl.href === metadata.jwksUrl.href;
    if (!this.#verifier || !same) this.#verifier = this.#make(metadata);
    this.#metadata = metadata;
    return this.#verifier.verify(token);
  }

  #make({ issuer, jwksUrl }: IssuerMetadata): JwtVerifier {
    return new JwtVerifier({ ...this.options, issuer, jwks: jwksUrl });
  }
}
