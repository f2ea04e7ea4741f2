import fc from 'fast-check';
import { chunked, damaged, type FuzzRequest, headers, leaves, toBody } from './fuzz-request.js';
import { type Json, junk, key, text } from './junk.js';
import { mutate, mutation } from './mutate.js';
import { VALID, type ValidRequest } from './valid-requests.js';

/**
 * Percent-encodes, keeping the words that stand for tasks. Half surrogates have no encoding, and what is longer would
 * exceed Node's limit for heads, which answers before anybody else can.
 */
function escape(chars: string): string {
  return encodeURIComponent(chars.slice(0, 100).replace(/[\ud800-\udfff]/gu, '')).replace(/%24/g, '$');
}

/** One segment of a path, on the wire. */
const segment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    '%2F',
    '%2e%2e',
    '%00',
    '%3Acancel',
    'a:b:c',
    ';p=1',
    'tasks',
    '*a2a',
    ':subscribe',
    '$done',
  ),
  fc.constantFrom('%', '%E0%A4%A', '%GG', '%u0041', '%ff'),
  fc.nat(3_000).map((n) => 'x'.repeat(n)),
  fc.constantFrom('{id}', '"', '<', '|', '\\'),
  text.map(escape),
);

const path: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...VALID),
    fc.nat(),
    segment,
    fc.constantFrom('keep', 'keep', 'replace', 'insert', 'append', 'encode'),
  )
  .map(([valid, at, extra, how]) => {
    const segments = valid.path.split('/').slice(1);
    const index = at % segments.length;
    if (how === 'replace') segments[index] = extra;
    if (how === 'insert') segments.splice(index, 0, extra);
    if (how === 'append') segments[index] += extra;
    if (how === 'encode') segments[index] = segments[index]!.replaceAll(':', '%3A').replace('t', '%74');
    return `/${segments.join('/')}`;
  });

const parameter = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        'historyLength',
        'history_length',
        'pageSize',
        'pageToken',
        'status',
        'includeArtifacts',
      ),
      fc.constantFrom('contextId', 'statusTimestampAfter', 'tenant', 'A2A-Version', 'id', 'taskId'),
      key.map(escape),
    ),
    fc.oneof(text.map(escape), fc.constantFrom('1', '0', '-1', 'true', '%', '%E0%A4%A', '1&1', '=', '[]')),
  )
  .map(([name, value]) => `${name}=${value}`);

const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 3,
    arbitrary: fc.array(parameter, { minLength: 1, maxLength: 4 }).map((all) => `?${all.join('&')}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('?', '??', '?&&', '?=', '?%', '#x') },
);

function asQuery(params: Json): string {
  const pairs = Object.entries(params as { [name: string]: Json });
  const written = pairs.map(
    ([name, value]) => `${escape(name)}=${escape(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  return written.length === 0 ? '' : `?${written.join('&')}`;
}

function withoutPath({ params, inPath }: ValidRequest): { [name: string]: Json } {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !inPath.includes(name)));
}

const VERBS = ['GET', 'POST', 'DELETE'] as const;

type Shape = Pick<FuzzRequest, 'method' | 'path' | 'body'>;

/** A valid request whose parameters were changed. */
const changed: fc.Arbitrary<Shape> = fc
  .tuple(fc.constantFrom(...VALID), fc.array(mutation, { maxLength: 3 }))
  .map(([valid, mutations]) => {
    const params = mutate(withoutPath(valid), mutations);
    if (valid.verb === 'POST') return { method: valid.verb, path: valid.path, body: toBody(params) };
    const asked = typeof params === 'object' && params !== null ? asQuery(params) : '';
    return { method: valid.verb, path: valid.path + asked };
  });

const goodBody = fc.constantFrom(...VALID).map((valid) => toBody(withoutPath(valid)));

/** A valid path whose body was damaged. */
const broken: fc.Arbitrary<Shape> = fc.record({
  method: fc.constant('POST'),
  path: fc.constantFrom(...VALID.filter(({ verb }) => verb === 'POST').map((valid) => valid.path)),
  body: fc.oneof(damaged(goodBody), junk.map(toBody)),
});

/** Paths, methods and queries that hardly any operation has. */
const astray: fc.Arbitrary<Shape> = fc
  .record({
    method: fc.constantFrom(...VERBS, ...VERBS, ...VERBS, 'PUT', 'PATCH', 'HEAD', 'OPTIONS'),
    path,
    query,
    body: fc.option(goodBody, { nil: undefined }),
  })
  .map((shape) => ({ method: shape.method, path: shape.path + shape.query, body: shape.body }));

export const restRequest: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: changed },
      { weight: 2, arbitrary: broken },
      { weight: 3, arbitrary: astray },
    ),
    fc.record({ headers, chunked, leaves }),
  )
  .map(([shape, rest]) => ({ ...shape, ...rest }));
