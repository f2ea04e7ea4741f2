import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Strings that have broken somebody's server before. */
const STRANGE_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1e999',
  'null',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\ud800',
  'a\udc00b',
  '\u2028',
  '\ufeff',
  '../../etc/passwd',
  '%00',
  '${7*7}',
  "' OR 1=1 --",
  'TASK_STATE_WORKING',
  'task_state_working',
  '2025-02-30T00:00:00Z',
  '9999-12-31T23:59:60Z',
  'AA=',
  'no base64!',
  'text/plain',
  ';;;',
  // A string that is nothing else becomes so many nested arrays, which no JSON.stringify could write.
  '$deep70',
  '$deep5000',
  // Words that stand for tasks of the server at hand. No `$live`: a message to it would wait for its turn for ever.
  '$done',
  '$parked',
  '$canceled',
];

export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...STRANGE_TEXTS) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('x', 'ü', '\ud83d'), fc.nat(8_000)).map(([c, n]) => c.repeat(n)),
  },
);

/** Names of members: some that JavaScript gives a meaning to, some that the protocol does. */
export const key: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    'toJSON',
    '',
  ),
  fc.constantFrom('id', 'tenant', 'message', 'parts', 'message_id', 'task_id', 'jsonrpc', 'params', '$case'),
  fc.string({ maxLength: 8 }),
);

const scalar: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.constantFrom(null, true, false, 0, -0, -1, 1, 0.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** JSON of any shape. */
export const junk: fc.Arbitrary<Json> = fc.letrec<{ tree: Json; object: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(key, tie('tree')), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries)),
})).tree;
