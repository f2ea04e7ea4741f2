import type { KeyObject } from 'node:crypto';
import type { AgentCard } from '../protocol/model.js';

/** A JSON Web Key, as in RFC 7517. */
export type JsonWebKey = Readonly<Record<string, unknown>> & { readonly kty?: string };

/** One key that cards are signed with. */
export interface CardSigningKey {
  /** Name of the key, by which verifiers find the public one. */
  readonly kid: string;
  /** `ES256`, `ES384`, `ES512`, `PS256` … `PS512`, `RS256` … `RS512`, `EdDSA` or `Ed25519`. */
  readonly alg: string;
  /** A JWK, a KeyObject of `node:crypto`, or PEM (PKCS #8). */
  readonly privateKey: JsonWebKey | KeyObject | string;
}

/** How the cards of this application are signed (§8.4). */
export interface CardSigningOptions {
  /** Each signs every card. To change a key, have both for as long as cards are cached, then remove the old one. */
  readonly keys: readonly CardSigningKey[];
  /** Path of the public keys (JWKS) at the origin; global prefixes do not touch it. Default `/.well-known/a2a-jwks.json`. */
  readonly jwksPath?: string;
  /**
   * Where a verifier finds the public keys, in the signature's header. Default: the JWKS of this application, where `publicUrl` is https.
   * False leaves it out.
   */
  readonly jku?: string | false;
  /**
   * Signs once more the way the official SDKs verify, where a card has empty members that they leave out (a scheme without scopes, no
   * skills). That signature says less: who can change the card can take such members away. Default false.
   */
  readonly forSdks?: boolean;
}

/**
 * Signs the cards that this application serves, as its options say; without `signing` it answers them as they are.
 *
 * @publicApi
 */
export abstract class AgentCardSigner {
  abstract sign(card: AgentCard): Promise<AgentCard>;
}

/** Signs bytes with the keys of `signing`, whose public halves are in the JWKS of this application. */
export abstract class DetachedSigner {
  /**
   * One detached JWS (RFC 7515, appendix F) for each key, as in `<protected header>..<signature>`; none without `signing`.
   * @param typ says what is signed, so that it is taken for nothing else.
   */
  abstract sign(payload: Uint8Array, typ: string): Promise<readonly string[]>;
}
