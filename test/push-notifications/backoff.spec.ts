import { describe, expect, it } from 'vitest';
import { backoff } from '../../lib/push-notifications/backoff.js';

describe('the pause before another attempt', () => {
  const limits = { backoffMs: 100, maxBackoffMs: 1_000, retryAfterMaxMs: 5_000 };

  it('doubles up to its limit, give or take a quarter', () => {
    const middle = [1, 2, 3, 4, 5, 60].map((failures) => backoff(failures, limits, 0, () => 0.5));
    expect(middle).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(backoff(1, limits, 0, () => 0)).toBe(75);
    expect(backoff(1, limits, 0, () => 1)).toBe(125);
  });

  it('is never shorter than the webhook asks for, up to a limit', () => {
    expect(backoff(1, limits, 2_000)).toBe(2_000);
    expect(backoff(1, limits, 60_000)).toBe(5_000);
    expect(backoff(4, limits, 1, () => 0.5)).toBe(800);
  });
});
