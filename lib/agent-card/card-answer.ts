import type { IncomingHttpHeaders } from 'node:http';
import type { CorsOption } from '../interfaces/module-options.js';
import type { PublishedDocument } from './card-versions.js';

/** A response, apart from any platform. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface CardPolicy {
  /** Seconds. */
  readonly maxAge: number;
  readonly lastModified: Date;
  readonly cors: CorsOption;
  /** Request headers that the card's URLs depend on. */
  readonly varyOn: readonly string[];
}

/** Answers GET and HEAD of a card (§8.6). */
export function cardAnswer(
  { body, etag }: PublishedDocument,
  request: IncomingHttpHeaders,
  policy: CardPolicy,
): HttpAnswer {
  const headers = {
    'Cache-Control': `public, max-age=${policy.maxAge}`,
    ETag: etag,
    'Last-Modified': policy.lastModified.toUTCString(),
    ...vary(policy),
    ...corsHeaders(request, policy.cors),
  };
  if (isCurrent(request, etag, policy.lastModified)) return { status: 304, headers };
  return { status: 200, headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

/** Answers a browser's preflight. */
export function preflightAnswer(request: IncomingHttpHeaders, policy: CardPolicy): HttpAnswer {
  const origin = corsHeaders(request, policy.cors);
  const asked = request['access-control-request-headers'];
  const allowed = {
    'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
    ...(asked && { 'Access-Control-Allow-Headers': asked }),
    'Access-Control-Max-Age': '86400',
  };
  const permitted = 'Access-Control-Allow-Origin' in origin;
  return { status: 204, headers: { ...vary(policy), ...origin, ...(permitted && allowed) } };
}

/** Whether the copy that the client has is still good (RFC 9110 §13.2.2). */
function isCurrent(request: IncomingHttpHeaders, etag: string, lastModified: Date): boolean {
  const tags = request['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  }
  const since = Date.parse(request['if-modified-since'] ?? '');
  return lastModified.getTime() <= since;
}

function vary({ cors, varyOn }: CardPolicy): Record<string, string> {
  const names = isPerOrigin(cors) ? [...varyOn, 'Origin'] : varyOn;
  return names.length > 0 ? { Vary: names.join(', ') } : {};
}

function corsHeaders(request: IncomingHttpHeaders, cors: CorsOption): Record<string, string> {
  const origin = isPerOrigin(cors) ? cors.origin.find((allowed) => allowed === request.origin) : cors && '*';
  return origin
    ? { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'ETag, Last-Modified' }
    : {};
}

function isPerOrigin(cors: CorsOption): cors is { readonly origin: readonly string[] } {
  return typeof cors === 'object';
}
