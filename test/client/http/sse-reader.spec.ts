import { describe, expect, it } from 'vitest';
import { SseReader } from '../../../lib/client/http/sse-reader.js';
import { ProtocolViolationError } from '../../../lib/client/client-errors.js';

const STREAM = [
  ': a comment',
  'retry: 3000',
  '',
  'id: 1',
  'event: message',
  'data: {"text":"é 𝒳 日本"}',
  '',
  'data:without a space',
  'data: and a second line',
  'id:2',
  '',
  ':',
  '',
  'data: last',
  '',
  'data: never ended',
].join('\n');

const EXPECTED = [
  { id: '1', data: '{"text":"é 𝒳 日本"}' },
  { id: '2', data: 'without a space\nand a second line' },
  { id: undefined, data: 'last' },
];

const ENDINGS = { LF: '\n', CRLF: '\r\n', CR: '\r' };

function read(bytes: Buffer, size: number): { id: string | undefined; data: string }[] {
  const reader = new SseReader(10_000);
  const events = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...reader.feed(bytes.subarray(at, at + size)));
  return events.map(({ id, data }) => ({ id, data }));
}

describe.each(Object.entries(ENDINGS))('SSE with %s', (_, ending) => {
  const text = STREAM.replaceAll('\n', ending);

  it.each([1, 2, 3, 7, 1_000])('gives the same events in pieces of %d bytes', (size) => {
    expect(read(Buffer.from(text), size)).toEqual(EXPECTED);
    expect(read(Buffer.from(`\uFEFF${text}`), size)).toEqual(EXPECTED);
  });

  it('gives an event as soon as its blank line is there', () => {
    const reader = new SseReader(100);
    expect(reader.feed(Buffer.from(`data: now${ending}${ending}`)).map(({ data }) => data)).toEqual(['now']);
    expect(reader.feed(Buffer.from(`data: then${ending}${ending}`)).map(({ data }) => data)).toEqual([
      'then',
    ]);
  });
});

describe('an event that is too large', () => {
  it('is refused, in one line and in many, after the events before it', () => {
    const one = new SseReader(100);
    expect(one.feed(Buffer.from(`data: a\n\ndata: ${'x'.repeat(200)}`))).toHaveLength(1);
    expect(() => one.feed(Buffer.from('x'))).toThrow(ProtocolViolationError);
    const many = new SseReader(100);
    const feed = () => {
      for (let i = 0; i < 50; i++) many.feed(Buffer.from('data: xxxxxxxxxx\n'));
    };
    expect(feed).toThrow(ProtocolViolationError);
  });
});
