import { describe, expect, it } from 'vitest';
import { retryAfterOf } from '../../../lib/client/http/http-head.js';

describe('Retry-After of an answer', () => {
  it.each([
    [undefined, undefined],
    ['17', 17],
    ['soon', undefined],
    ['-1', undefined],
    ['1e99', undefined],
    ['9'.repeat(400), 999_999_999],
  ])('%j is %s seconds', (value, seconds) => {
    expect(retryAfterOf(value === undefined ? {} : { 'retry-after': value })).toBe(seconds);
  });

  it('is whole seconds for a date, too', () => {
    const seconds = retryAfterOf({ 'retry-after': new Date(Date.now() + 90_000).toUTCString() });
    expect(seconds).toBeGreaterThan(80);
    expect(Number.isInteger(seconds)).toBe(true);
  });
});
