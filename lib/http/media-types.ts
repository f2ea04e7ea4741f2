import type { IncomingHttpHeaders } from 'node:http';

const CHARSET = '; charset=utf-8';

export const JSON_TYPE = `application/json${CHARSET}`;
export const A2A_JSON_TYPE = `application/a2a+json${CHARSET}`;

/**
 * The media type of an HTTP+JSON answer: what the client accepts first, else what it sent, else plain JSON, which every
 * client reads.
 */
export function answerType(headers: IncomingHttpHeaders): string {
  const accept = (headers.accept ?? '').toLowerCase();
  const a2a = accept.indexOf('application/a2a+json');
  const json = accept.indexOf('application/json');
  if (a2a >= 0 && (json < 0 || a2a < json)) return A2A_JSON_TYPE;
  if (json >= 0) return JSON_TYPE;
  const sent = headers['content-type']?.trim().toLowerCase() ?? '';
  return sent.startsWith('application/a2a+json') ? A2A_JSON_TYPE : JSON_TYPE;
}
