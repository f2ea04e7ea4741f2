import { describe, expect, it } from 'vitest';
import {
  badNumbers,
  INVALID_NUMBER,
  LONGEST_TIMER_MS,
  TOO_LONG_FOR_A_TIMER,
} from '../../lib/interfaces/bad-numbers.js';
import { AROUND, doublingPause } from '../../lib/interfaces/doubling-pause.js';
import { resolveOptions } from '../../lib/interfaces/resolve-options.js';

describe('numbers among options', () => {
  it('are none, or below zero', () => {
    const options = { a: NaN, bMs: -1, c: 0, dMs: 0, e: undefined, f: 'x' };
    expect(badNumbers(options, 'g.')).toEqual([INVALID_NUMBER('g.a', NaN), INVALID_NUMBER('g.bMs', -1)]);
  });

  it('are times that no timer holds', () => {
    const options = { aMs: LONGEST_TIMER_MS, bMs: LONGEST_TIMER_MS + 1, cMs: Infinity };
    expect(badNumbers(options, 'g.')).toEqual([
      TOO_LONG_FOR_A_TIMER('g.bMs', LONGEST_TIMER_MS + 1),
      TOO_LONG_FOR_A_TIMER('g.cMs', Infinity),
    ]);
  });

  it('may be without limit where they are counts or sizes, and long where they are ages', () => {
    expect(badNumbers({ runs: Infinity, maxBytes: Infinity, keepMs: Infinity, maxAgeMs: 1e12 })).toEqual([]);
  });

  it('are all good by default', () => {
    expect(Object.values(resolveOptions({})).flatMap((group) => badNumbers(Object(group)))).toEqual([]);
  });
});

describe('the longest time that is left to a timer', () => {
  it('is held with what chance adds to pauses', () => {
    expect(doublingPause(1, LONGEST_TIMER_MS, LONGEST_TIMER_MS, AROUND, () => 1)).toBeLessThan(2 ** 31);
  });
});
