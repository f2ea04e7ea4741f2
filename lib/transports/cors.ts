import type { IncomingHttpHeaders } from 'node:http';
import type { CorsOption } from '../interfaces/module-options.js';

const EXPOSED = 'A2A-Extensions, ETag, Retry-After, WWW-Authenticate';
const METHODS = 'GET, POST, DELETE';
const REQUEST_HEADERS = 'A2A-Version, A2A-Extensions, Authorization, Content-Type, Last-Event-ID';
const PREFLIGHT_SECONDS = '600';

/** Headers by name. */
export type CorsHeaders = Readonly<Record<string, string>>;

/** Headers that let pages of other origins read a response; none when the origin is not allowed, or nobody asks. */
export function corsHeaders(option: CorsOption, headers: IncomingHttpHeaders): CorsHeaders {
  const { origin } = headers;
  if (option === false || origin === undefined) return {};
  if (option === true) {
    return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED };
  }
  if (!option.origin.includes(origin)) return { Vary: 'Origin' };
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED,
    Vary: 'Origin',
  };
}

/** Headers for the question that a browser asks before the request; undefined when the request is no such question. */
export function preflightHeaders(
  option: CorsOption,
  method: string,
  headers: IncomingHttpHeaders,
): CorsHeaders | undefined {
  const asked = headers['access-control-request-method'];
  if (option === false || method !== 'OPTIONS' || asked === undefined) return undefined;
  return {
    ...corsHeaders(option, headers),
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': headers['access-control-request-headers'] ?? REQUEST_HEADERS,
    'Access-Control-Max-Age': PREFLIGHT_SECONDS,
  };
}
