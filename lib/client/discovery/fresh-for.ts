import type { IncomingHttpHeaders } from 'node:http';

/** For a card whose server says nothing. */
const DEFAULT_SECONDS = 300;
const MOST_SECONDS = 86_400;

/** For how many ms an answer may be used without asking again (RFC 9111 §4.2). */
export function freshForMs(headers: IncomingHttpHeaders): number {
  const directives = String(headers['cache-control'] ?? '').toLowerCase();
  if (/\bno-(?:cache|store)\b/.test(directives)) return 0;
  const maxAge = /\bmax-age="?(\d{1,10})/.exec(directives)?.[1];
  if (maxAge === undefined) return DEFAULT_SECONDS * 1_000;
  const age = Number(headers.age ?? 0) || 0;
  return Math.max(0, Math.min(Number(maxAge), MOST_SECONDS) - age) * 1_000;
}
