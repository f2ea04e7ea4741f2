import { describe, expect, it } from 'vitest';
import { randomId } from '../../lib/protocol/random-id.js';

const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('randomId', () => {
  const ids = Array.from({ length: 2_000 }, randomId);

  it('is a UUID of version 4', () => {
    for (const id of ids) expect(id).toMatch(VERSION_4);
  });

  it('is another each time', () => {
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('leaves every other bit to chance', () => {
    const digits = Array.from({ length: 36 }, (_, place) => new Set(ids.map((id) => id[place])).size);
    const free = digits.filter((_, place) => ![8, 13, 14, 18, 19, 23].includes(place));
    expect(free.every((kinds) => kinds === 16)).toBe(true);
    expect(digits[19]).toBe(4);
  });
});
