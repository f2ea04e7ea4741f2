import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../lib/protocol/retry-after.js';

const NOW = Date.parse('2026-12-01T12:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    [' 120 ', 120_000],
    ['Tue, 01 Dec 2026 12:00:30 GMT', 30_000],
    ['Tuesday, 01-Dec-26 12:00:30 GMT', 30_000],
    ['Tue, 01 Dec 2026 11:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %s ms', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });
});
