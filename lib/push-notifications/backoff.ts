import { AROUND, doublingPause } from '../interfaces/doubling-pause.js';
import type { ResolvedPushOptions } from '../interfaces/push-options.js';

type Limits = Pick<ResolvedPushOptions, 'backoffMs' | 'maxBackoffMs' | 'retryAfterMaxMs'>;

/**
 * How long to wait before the next attempt, in ms.
 * @param failures attempts that failed, at least 1.
 * @param retryAfterMs what the webhook asked for.
 */
export function backoff(failures: number, limits: Limits, retryAfterMs = 0, random = Math.random): number {
  const pause = doublingPause(failures, limits.backoffMs, limits.maxBackoffMs, AROUND, random);
  return Math.max(pause, Math.min(retryAfterMs, limits.retryAfterMaxMs));
}
