import { afterEach, describe, expect, it, vi } from 'vitest';
import { RetryPolicy } from '../../../lib/client/calls/retry-policy.js';
import { UnavailableError } from '../../../lib/protocol/errors.js';

describe('the pause before a call is made again', () => {
  afterEach(() => vi.restoreAllMocks());

  const policy = new RetryPolicy({ attempts: 6, baseMs: 100, maxMs: 500 });
  const pauses = (chance: number) => {
    vi.spyOn(Math, 'random').mockReturnValue(chance);
    return [1, 2, 3, 4, 5, 6].map((tries) => policy.delayMs('GetTask', new UnavailableError('Later'), tries));
  };

  it('doubles up to its limit, of which chance takes up to a half', () => {
    expect(pauses(1)).toEqual([100, 200, 400, 500, 500, undefined]);
    expect(pauses(0)).toEqual([50, 100, 200, 250, 250, undefined]);
  });

  it('is never shorter than the peer asks for, and no call waits longer than the limit', () => {
    const asking = (seconds: number) => new UnavailableError('Later', { retryAfterSeconds: seconds });
    expect(policy.delayMs('GetTask', asking(0.4), 1)).toBe(400);
    expect(policy.delayMs('GetTask', asking(0.6), 1)).toBeUndefined();
  });
});
