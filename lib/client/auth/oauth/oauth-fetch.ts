import type { Dispatcher } from 'undici';
import type { ClientTimeouts } from '../../client-transport.js';
import { HttpPool } from '../../http/http-pool.js';
import { isConfidential, originOf } from '../origins.js';
import { TokenRequestError } from './token-request-error.js';

const TIMEOUTS: ClientTimeouts = { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 20_000 };
const MAX_BYTES = 256 * 1_024;
/** Statuses of answers that have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** A request of the library. */
export interface OAuthRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export type OAuthFetch = (url: string, request: OAuthRequest) => Promise<Response>;

/**
 * A fetch within limits that goes nowhere without encryption (but on this machine), nor to a link-local address, follows no redirect, and shows status, type and body of the answer only:
 * endpoints explain a 401 in the body.
 */
export function oauthFetch(dispatcher: Dispatcher | undefined): OAuthFetch {
  return async (url, { method, headers, body, signal }) => {
    const origin = originOf(url);
    if (origin === undefined || !isConfidential(origin)) {
      throw new TokenRequestError(
        `${origin ?? 'What is no URL of HTTP'} is not asked for tokens: it has no encryption`,
      );
    }
    const { pathname, search } = new URL(url);
    // Tokens are needed rarely: a pool of its own leaves no connection open that somebody would have to close.
    const pool = new HttpPool({ ...(dispatcher && { dispatcher }) }, TIMEOUTS.connectMs);
    try {
      const exchange = await pool.send(
        {
          method: method === 'POST' ? 'POST' : 'GET',
          origin,
          path: pathname + search,
          headers: { ...headers, 'accept-encoding': 'identity' },
          ...(body !== undefined && { body: String(body) }),
        },
        { timeouts: TIMEOUTS, ...(signal && { signal }) },
      );
      const content = await exchange.text(MAX_BYTES);
      return new Response(WITHOUT_BODY.has(exchange.status) ? null : content, {
        status: exchange.status,
        headers: { 'content-type': exchange.headers['content-type'] ?? '' },
      });
    } finally {
      await pool.close();
    }
  };
}
