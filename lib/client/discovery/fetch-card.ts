import type { IncomingHttpHeaders } from 'node:http';
import { PROTOCOL_VERSION, VERSION_HEADER } from '../../protocol/version.js';
import { AgentDiscoveryError, ProtocolViolationError, UnexpectedAnswerError } from '../client-errors.js';
import type { Exchange, ExchangeLimits } from '../http/exchange.js';
import { contentTypeOf, isJson, retryAfterOf } from '../http/http-head.js';
import type { HttpPool } from '../http/http-pool.js';

/** What a place of a card answered. */
export interface CardAnswer {
  readonly headers: IncomingHttpHeaders;
  /** Where it came from in the end. */
  readonly url: URL;
  /** Undefined for 304: the copy that the caller has is still good. */
  readonly json?: unknown;
}

const MAX_REDIRECTS = 3;

/**
 * Fetches a card. Redirects lead on within the origin only: elsewhere somebody else would speak for the agent, and read the headers.
 * @throws UnexpectedAnswerError for any other answer, AgentDiscoveryError for a redirect that is not followed, and what the exchange throws.
 */
export async function fetchCard(
  pool: HttpPool,
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: ExchangeLimits,
): Promise<CardAnswer> {
  let place = url;
  for (let redirects = 0; ; redirects++) {
    const fixed = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      [VERSION_HEADER.toLowerCase()]: PROTOCOL_VERSION,
    };
    const exchange = await pool.send(
      {
        method: 'GET',
        origin: place.origin,
        path: place.pathname + place.search,
        headers: { ...headers, ...fixed },
      },
      limits,
    );
    const target = redirectOf(exchange, place);
    if (!target) return { ...(await readCard(exchange, place, pool)), url: place };
    exchange.close();
    if (target.origin !== url.origin || redirects >= MAX_REDIRECTS) {
      throw new AgentDiscoveryError(
        `${place.href} redirects to ${target.origin}, which is not followed: name the card's URL there instead`,
      );
    }
    place = target;
  }
}

function redirectOf({ status, headers }: Exchange, place: URL): URL | undefined {
  const { location } = headers;
  const redirects = [301, 302, 303, 307, 308].includes(status);
  return redirects && location && URL.canParse(location, place.href) ? new URL(location, place) : undefined;
}

async function readCard(exchange: Exchange, place: URL, pool: HttpPool): Promise<Omit<CardAnswer, 'url'>> {
  const { status, headers } = exchange;
  const type = contentTypeOf(headers);
  if (status === 304) {
    exchange.close();
    return { headers };
  }
  if (status !== 200 || !isJson(type)) {
    exchange.close();
    const message = `${place.href} answered ${status} with ${type || 'no content type'}, not with a card`;
    throw new UnexpectedAnswerError(message, status, type, retryAfterOf(headers));
  }
  const text = await exchange.text(pool.maxAnswerBytes);
  try {
    return { headers, json: JSON.parse(text) as unknown };
  } catch (cause) {
    throw new ProtocolViolationError(`What ${place.href} answered is no JSON`, { cause });
  }
}
