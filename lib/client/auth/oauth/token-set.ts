import { Secret } from '../secret.js';

/** A token is not used for its last 30 s, or its last tenth where it is short-lived: it must also arrive in time. */
const MARGIN_MS = 30_000;
const MARGIN_PART = 0.1;

/** Tokens as an authorization server issued them together. */
export interface TokenSet {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret;
  /** When to get another one, in ms since 1970; Infinity when the server did not say. */
  readonly usableUntil: number;
}

/** What is used of a token response (RFC 6749 §5.1). */
export interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
}

/**
 * @param requestedAt in ms since 1970: from then on the lifetime counts.
 * @param previous keeps its refresh token where the response has none (RFC 6749 §6).
 */
export function tokenSetOf(response: TokenResponse, requestedAt: number, previous?: TokenSet): TokenSet {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = response;
  const lifetime = seconds === undefined ? Infinity : seconds * 1_000;
  const margin = Math.min(MARGIN_MS, lifetime * MARGIN_PART);
  const refreshToken = refresh === undefined ? previous?.refreshToken : new Secret(refresh);
  return {
    accessToken: new Secret(access),
    usableUntil: lifetime === Infinity ? Infinity : requestedAt + lifetime - margin,
    ...(refreshToken && { refreshToken }),
  };
}
