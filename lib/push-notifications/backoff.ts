import type { ResolvedPushOptions } from '../interfaces/push-options.js';

type Limits = Pick<ResolvedPushOptions, 'backoffMs' | 'maxBackoffMs' | 'retryAfterMaxMs'>;

/**
 * How long to wait before the next attempt, in ms: doubled for each failure, and give or take a quarter, so that webhooks which fell silent
 * together are not asked again together.
 * @param failures attempts that failed, at least 1.
 * @param retryAfterMs what the webhook asked for.
 */
export function backoff(failures: number, limits: Limits, retryAfterMs = 0, random = Math.random): number {
  const doubled = Math.min(limits.backoffMs * 2 ** (failures - 1), limits.maxBackoffMs);
  return Math.max(doubled * (0.75 + 0.5 * random()), Math.min(retryAfterMs, limits.retryAfterMaxMs));
}
