import type { IncomingHttpHeaders } from 'node:http';
import { parseRetryAfter } from '../../protocol/retry-after.js';

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

/** More than anybody waits, and still a number that can be written as a duration. */
const LONGEST_RETRY_AFTER_S = 999_999_999;

/** Whole seconds that `Retry-After` asks to wait. */
export function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  const ms = parseRetryAfter(headers['retry-after']);
  return ms === undefined ? undefined : Math.min(Math.ceil(ms / 1_000), LONGEST_RETRY_AFTER_S);
}

/** The challenges of a 401, one header each. */
export function challengesOf(headers: IncomingHttpHeaders): string[] {
  const value: string | readonly string[] | undefined = headers['www-authenticate'];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : [...(value as readonly string[])];
}
