import { describe, expect, it } from 'vitest';
import { VersionNotSupportedError } from '../../lib/protocol/errors.js';
import { negotiateVersion } from '../../lib/protocol/version.js';

describe('the version of a request', () => {
  it.each<[header: string | string[] | undefined, query: string | undefined]>([
    ['1.0', undefined],
    ['1.0.3', undefined],
    [' 1.0 ', undefined],
    [['1.0'], undefined],
    [undefined, '1.0'],
    ['', '1.0.0'],
    ['1.0', '0.3'],
  ])('is 1.0 for header %j and query %j', (header, query) => {
    expect(negotiateVersion(header, query)).toBe('1.0');
  });

  it.each<[header: string | string[] | undefined, query: string | undefined]>([
    [undefined, undefined],
    ['', ''],
    ['0.3', '1.0'],
    ['1', undefined],
    ['v1.0', undefined],
    ['1.0, 0.3', undefined],
    [['1.0', '1.0'], undefined],
    ['01.0', undefined],
    ['1.00', undefined],
    ['1.0.3-rc', undefined],
    ['1.0.', undefined],
    ['2.0', undefined],
    ['99.0', '1.0'],
    ['__proto__', undefined],
    ['undefined.undefined', undefined],
    [undefined, '🤷'],
  ])('is refused for header %j and query %j', (header, query) => {
    expect(() => negotiateVersion(header, query)).toThrow(VersionNotSupportedError);
  });

  it('is refused with what to do', () => {
    expect(() => negotiateVersion('9'.repeat(1000))).toThrow(
      `A2A version "${'9'.repeat(32)}" is not supported. Supported: 1.0; send it in the A2A-Version header`,
    );
  });

  it('may be another that is supported', () => {
    expect(negotiateVersion(undefined, undefined, ['1.0', '0.3'])).toBe('0.3');
    expect(negotiateVersion('0.3.1', undefined, ['1.0', '0.3'])).toBe('0.3');
  });
});
