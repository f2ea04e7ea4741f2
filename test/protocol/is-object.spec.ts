import { describe, expect, it } from 'vitest';
import { isObject } from '../../lib/protocol/is-object.js';

describe('an object of JSON', () => {
  it.each([{}, { a: 1 }, JSON.parse('{"__proto__":null}')])('%j is one', (value) => {
    expect(isObject(value)).toBe(true);
  });

  it.each([null, undefined, [], [{}], '', '{}', 0, true])('%j is none', (value) => {
    expect(isObject(value)).toBe(false);
  });
});
