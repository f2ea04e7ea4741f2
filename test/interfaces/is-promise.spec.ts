import { expect, it } from 'vitest';
import { isPromise } from '../../lib/interfaces/is-promise.js';

it('knows promises, also those of other libraries, and nothing else', () => {
  const other = { then: (resolve: (value: number) => void) => resolve(1) };
  for (const value of [Promise.resolve(), other]) expect(isPromise<unknown>(value)).toBe(true);
  for (const value of [undefined, null, 0, 'then', {}, { then: true }])
    expect(isPromise<unknown>(value)).toBe(false);
});
