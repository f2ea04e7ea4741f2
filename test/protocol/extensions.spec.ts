import { describe, expect, it } from 'vitest';
import {
  activate,
  formatExtensions,
  missingRequired,
  parseExtensions,
} from '../../lib/protocol/extensions.js';

const A = 'https://example.org/a/v1';
const B = 'https://example.org/b/v1';

describe('the extensions of a request', () => {
  it.each<[string | string[] | undefined, string[]]>([
    [undefined, []],
    ['', []],
    [' , ,', []],
    [A, [A]],
    [`${B},${A}`, [B, A]],
    [`  ${A} ,\t${B}  ,`, [A, B]],
    [
      [A, `${B}, ${A}`],
      [A, B],
    ],
  ])('are read from %j', (header, expected) => {
    expect(parseExtensions(header)).toEqual(expected);
  });

  it('are written as they are read', () => {
    expect(parseExtensions(formatExtensions([A, B]))).toEqual([A, B]);
  });

  it('are in use when the card declares them', () => {
    expect(activate([B, 'urn:x', A], [{ uri: A }, { uri: B }, {}])).toEqual([B, A]);
    expect(activate([A.toUpperCase()], [{ uri: A }])).toEqual([]);
    expect(activate([A])).toEqual([]);
  });

  it('are missing when the card requires them', () => {
    const declared = [{ uri: A, required: true }, { uri: B, required: false }, { required: true }];
    expect(missingRequired([B], declared)).toEqual([A]);
    expect(missingRequired([A], declared)).toEqual([]);
    expect(missingRequired([])).toEqual([]);
  });
});
