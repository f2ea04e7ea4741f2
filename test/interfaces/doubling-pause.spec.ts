import { describe, expect, it } from 'vitest';
import { AROUND, doublingPause, WITHIN } from '../../lib/interfaces/doubling-pause.js';

describe('a pause that doubles', () => {
  it('grows with each failure up to its limit', () => {
    const pauses = [1, 2, 3, 4, 5, 2_000].map((failures) =>
      doublingPause(failures, 100, 1_000, WITHIN, () => 1),
    );
    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it.each([
    ['around it', AROUND, 75, 125],
    ['within it', WITHIN, 50, 100],
  ])('is spread %s', (_, spread, least, most) => {
    const at = (chance: number) => doublingPause(1, 100, 1_000, spread, () => chance);
    expect([at(0), at(1)]).toEqual([least, most]);
    expect(at(0.5)).toBe((least + most) / 2);
  });

  it('is spread by chance unless told', () => {
    const pauses = new Set(Array.from({ length: 20 }, () => doublingPause(1, 100, 1_000, WITHIN)));
    expect(pauses.size).toBeGreaterThan(1);
    expect([...pauses].every((pause) => pause >= 50 && pause <= 100)).toBe(true);
  });
});
