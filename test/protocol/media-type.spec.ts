import { describe, expect, it } from 'vitest';
import { accepts, parseMediaType } from '../../lib/protocol/media-type.js';

const read = (text: string) => {
  const parsed = parseMediaType(text);
  return parsed && [`${parsed.type}/${parsed.subtype}`, Object.fromEntries(parsed.parameters)];
};

describe('a media type', () => {
  it.each<[string, string, object]>([
    ['text/plain', 'text/plain', {}],
    [' Text/PLAIN ', 'text/plain', {}],
    ['application/a2a+json; Charset=UTF-8', 'application/a2a+json', { charset: 'UTF-8' }],
    ['a/b;x=1 ;  y="a;\\"b"; ', 'a/b', { x: '1', y: 'a;"b' }],
    ['image/*', 'image/*', {}],
  ])('is read from %j', (text, essence, parameters) => {
    expect(read(text)).toEqual([essence, parameters]);
  });

  it.each(['', 'text', '/', 'text/', '/plain', 'a/b/c', 'a b/c', 'a/b;x', 'a/b;x=', 'a/b;x="y', 'a/b x=1'])(
    'is not %j',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  it('is read in no time, whatever it is', () => {
    expect(read(`a/b;${' '.repeat(100_000)}!`)).toBeUndefined();
    expect(read(`a/b;x="${'\\'.repeat(100_001)}`)).toBeUndefined();
  });
});

describe('modes', () => {
  it.each<[string[], string, boolean]>([
    [[], 'text/plain', true],
    [['text/plain'], 'text/plain', true],
    [['text/plain'], 'TEXT/Plain; charset=utf-8', true],
    [['text/plain; charset=utf-8'], 'text/plain;charset=UTF-8', true],
    [['text/plain; charset=utf-8'], 'text/plain', false],
    [['text/plain'], 'text/markdown', false],
    [['text/plain', 'image/*'], 'image/png', true],
    [['image/*'], 'imagex/png', false],
    [['*/*'], 'anything/at-all', true],
    [['*/*'], 'junk', true],
    [['text/*'], 'junk', false],
    [['junk', 'text/plain'], 'text/plain', true],
    [['junk'], 'junk', false],
  ])('%j and %j: %j', (modes, mediaType, expected) => {
    expect(accepts(modes, mediaType)).toBe(expected);
  });
});
