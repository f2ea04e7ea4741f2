import { UnsafeUrlError, UrlFetchError, type UrlAnswer } from '../interfaces/url-guard.js';
import { parseRetryAfter } from '../protocol/retry-after.js';

/** What an attempt came to. */
export type Verdict = { readonly status?: number } & (
  | { readonly kind: 'delivered' }
  /** `stop`: no attempt will do better; `refusal`: hardly one will; `failure`: the next may. */
  | { readonly kind: 'stop' | 'refusal' | 'failure'; readonly reason: string; readonly retryAfterMs?: number }
);

/** Refusals of the moment, among those that say the request itself is wrong. */
const OF_THE_MOMENT = new Set([408, 425, 429]);

/** Any 2xx is success. Redirects are not followed, so they are refusals. */
export function judgeAnswer({ status, headers }: UrlAnswer, now = Date.now()): Verdict {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  const reason = `it answered ${status}`;
  if (status === 410) return { kind: 'stop', status, reason };
  if (status < 500 && !OF_THE_MOMENT.has(status)) return { kind: 'refusal', status, reason };
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  return { kind: 'failure', status, reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** An exchange that came to no answer. The reason names no address and nothing secret. */
export function judgeError(error: unknown): Verdict {
  if (error instanceof UnsafeUrlError) return { kind: 'failure', reason: `its URL ${error.reason}` };
  if (error instanceof UrlFetchError) return { kind: 'failure', reason: error.message };
  return { kind: 'failure', reason: error instanceof Error ? error.name : 'unknown' };
}
