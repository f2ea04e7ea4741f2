import type { IncomingHttpHeaders } from 'node:http';

/** The media type of an answer, without parameters, in lower case; empty when there is none. */
export function contentTypeOf(headers: IncomingHttpHeaders): string {
  const value = headers['content-type'];
  const text = Array.isArray(value) ? String(value[0]) : (value ?? '');
  return text.split(';', 1)[0]!.trim().toLowerCase();
}

/** Whether a media type is JSON's, A2A's own included. */
export function isJson(contentType: string): boolean {
  return contentType === 'application/json' || /^application\/[\w.-]+\+json$/.test(contentType);
}

/** Seconds that `Retry-After` asks to wait (RFC 9110 §10.2.3), as a number or a date. */
export function retryAfterOf(headers: IncomingHttpHeaders, now = Date.now()): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1_000));
}

/** The challenges of a 401, one header each. */
export function challengesOf(headers: IncomingHttpHeaders): string[] {
  const value: string | readonly string[] | undefined = headers['www-authenticate'];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : [...(value as readonly string[])];
}
