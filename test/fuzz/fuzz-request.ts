import fc from 'fast-check';
import { type Json, junk, text } from './junk.js';

/** A request as it goes over the wire, except for the words that stand for tasks. */
export interface FuzzRequest {
  readonly method: string;
  /** Below the binding's path; with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, each as the character of that code. */
  readonly body?: string;
  readonly chunked: boolean;
  /** Hangs up: when half of the body is sent, or once the head of the answer is there. */
  readonly leaves: 'never' | 'in the body' | 'at the head';
}

export const chunked = fc.constantFrom(false, false, true);
export const leaves = fc.constantFrom(...Array<'never'>(60).fill('never'), 'in the body', 'at the head');

/** Visible ASCII and Latin-1: what HTTP lets through in a header. */
const headerText = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)), maxLength: 40 }),
  fc.string({ unit: fc.integer({ min: 0xa0, max: 0xff }).map((c) => String.fromCharCode(c)), maxLength: 10 }),
  fc.nat(400).map((n) => 'h'.repeat(n)),
);

/** Mostly the value that the server wants, else another that it knows, else anything; undefined leaves the header out. */
function mostly(good: string, ...others: (string | undefined)[]): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constant(good) },
    { weight: 2, arbitrary: fc.constantFrom(undefined, ...others) },
    { weight: 1, arbitrary: headerText },
  );
}

function seldom(...values: string[]): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: headerText },
  );
}

export const headers: fc.Arbitrary<Record<string, string>> = fc
  .record({
    authorization: mostly('Bearer user:ada', 'Bearer', 'Basic dTpw', 'Bearer user:'),
    'a2a-version': mostly('1.0', '1.0.9', '0.3', '2.0', '1', '1.0, 1.0', ' 1.0 '),
    'content-type': mostly(
      'application/json',
      'application/a2a+json; charset=UTF-8',
      'text/plain',
      'application/json; charset=latin1',
      'application/json; charset',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      '/',
    ),
    accept: seldom('*/*', 'text/event-stream', 'application/a2a+json, application/json;q=0.1', 'image/png'),
    'a2a-extensions': seldom('https://example.com/ext', ',,,', 'a,'.repeat(300), '!https://example.com/ext'),
    'last-event-id': seldom('0', '1', '-1', '999999999999999', '99999999999999999999', '1e3', 'x'),
    'content-encoding': seldom('identity', 'gzip', 'br'),
    'x-forwarded-host': seldom('evil.example', 'a, b'),
    'x-http-method-override': seldom('DELETE'),
    cookie: seldom('a=b; c'),
    origin: seldom('https://evil.example', 'null'),
    connection: fc.constantFrom(...Array<undefined>(9).fill(undefined), 'close'),
  })
  .map((record) => {
    const entries = Object.entries(record).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return Object.fromEntries(entries);
  });

export function toBody(json: Json): string {
  return Buffer.from(JSON.stringify(json)).toString('latin1');
}

const FRAGMENTS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '1e400',
  'nul',
  '\u0000',
  '\xff\xfe',
  '\xc3',
  '\xed\xa0\x80',
  '\xef\xbb\xbf',
  '//',
];

/** What becomes of a good body on a bad way. */
export function damaged(body: fc.Arbitrary<string>): fc.Arbitrary<string | undefined> {
  const place = fc.nat(100);
  const cut = (bytes: string, percent: number) => Math.floor((bytes.length * percent) / 100);
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(body, place).map(([bytes, at]) => bytes.slice(0, cut(bytes, at))) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(body, place, fc.constantFrom(...FRAGMENTS))
        .map(([bytes, at, extra]) => bytes.slice(0, cut(bytes, at)) + extra + bytes.slice(cut(bytes, at))),
    },
    { weight: 1, arbitrary: body.map((bytes) => bytes + bytes) },
    { weight: 1, arbitrary: body.map((bytes) => `[${bytes}]`) },
    { weight: 1, arbitrary: junk.map(toBody) },
    { weight: 1, arbitrary: text.map((chars) => Buffer.from(chars).toString('latin1')) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, '', ' ', '\n', '[]', '{}', 'null', '1') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('$open60000', '$open100000', '"$deep30000"'),
    },
  );
}
