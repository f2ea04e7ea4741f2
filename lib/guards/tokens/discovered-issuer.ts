import { fetchWithin } from './fetch-within.js';
import { trustedUrl } from './trusted-url.js';

const WELL_KNOWN = '/.well-known/openid-configuration';
const MAX_AGE_MS = 3_600_000;

/** What is used of the metadata of an OpenID provider. */
export interface IssuerMetadata {
  readonly issuer: string;
  readonly jwksUrl: URL;
}

/** Reads the metadata of an OpenID provider when they are first needed, and again after an hour. */
export class DiscoveredIssuer {
  readonly #url: URL;
  readonly #fetch = fetchWithin();
  #known: Promise<IssuerMetadata> | undefined;
  #until = 0;

  /**
   * @param issuer who the provider is; by default the one whose well-known path the URL is.
   * @throws TypeError
   */
  constructor(
    url: string | URL,
    private readonly issuer?: string,
  ) {
    this.#url = trustedUrl(url);
    if (!issuer && !this.#url.pathname.endsWith(WELL_KNOWN)) {
      throw new TypeError(`openIdConnect(): the url must end with ${WELL_KNOWN}, or the issuer be given`);
    }
  }

  /** Concurrent callers share one request; a failed one is not kept. */
  metadata(): Promise<IssuerMetadata> {
    if (this.#known && this.#until > Date.now()) return this.#known;
    this.#until = Date.now() + MAX_AGE_MS;
    const read = this.#read();
    this.#known = read;
    read.catch(() => {
      if (this.#known === read) this.#known = undefined;
    });
    return read;
  }

  async #read(): Promise<IssuerMetadata> {
    const response = await this.#fetch(this.#url, { headers: { accept: 'application/json' } });
    if (response.status !== 200) throw new Error(`The discovery document has the status ${response.status}`);
    const { issuer, jwks_uri: jwks } = ((await response.json()) ?? {}) as Record<string, unknown>;
    if (typeof issuer !== 'string' || typeof jwks !== 'string') {
      throw new Error('The discovery document names no issuer, or no jwks_uri');
    }
    // Else one provider could speak for another (OpenID Connect Discovery §4.3).
    const expected = this.issuer ?? this.#url.href.slice(0, -WELL_KNOWN.length);
    if (trimSlash(issuer) !== trimSlash(expected))
      throw new Error('The discovery document is of another issuer');
    return { issuer, jwksUrl: trustedUrl(jwks) };
  }
}

function trimSlash(url: string): string {
  return url.replace(/\/$/, '');
}
