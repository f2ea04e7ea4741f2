import type { KeyObject } from 'node:crypto';
import type { CryptoKey, JWK } from 'jose';
import type { Dispatcher } from 'undici';
import type { CredentialOptions } from '../supplied-credential.js';

/** How to get tokens of an authorization server. What is not given is taken from the card, as far as the card may be trusted. */
export interface OAuthOptions extends CredentialOptions {
  readonly clientId: string;
  /** For clients that have one. */
  readonly clientSecret?: string;
  /** How the secret is sent. Default `client_secret_basic`. */
  readonly authentication?: 'client_secret_basic' | 'client_secret_post';
  /** Instead of a secret: signs an assertion for every request (`private_key_jwt`, RFC 7523). PEM (PKCS #8), JWK or a key object. */
  readonly privateKey?: string | JWK | KeyObject | CryptoKey;
  /** `kid` of the assertion. Default: the JWK's. */
  readonly keyId?: string;
  /** Of the assertion. Default: the JWK's `alg`, else RS256, ES256, ES384, ES512 or Ed25519 by the key. */
  readonly algorithm?: string;
  /**
   * The authorization server, https or of this machine. Its metadata (OpenID Connect Discovery or RFC 8414) say where tokens are; endpoints
   * that the card names are used only at its origin, and when it has no metadata.
   */
  readonly issuer?: string;
  /** The token endpoint, whatever card and issuer say. */
  readonly tokenUrl?: string;
  /** The device authorization endpoint, whatever card and issuer say. */
  readonly deviceAuthorizationUrl?: string;
  /**
   * Origins at which a card may name endpoints. They get the client's secret. Default: that of the issuer, else that of the URL which the client
   * was made with.
   */
  readonly allowOrigins?: readonly string[];
  /** What to ask for. Default: the scopes that the card requires of the call, which gives the agent the choice. */
  readonly scopes?: readonly string[];
  /** Further parameters of the requests, as `resource` (RFC 8707) or `audience`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Connections to use, as of a proxy. They are the caller's to close. */
  readonly dispatcher?: Dispatcher;
}
