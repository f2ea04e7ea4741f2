import fc from 'fast-check';
import { chunked, damaged, type FuzzRequest, headers, leaves, toBody } from './fuzz-request.js';
import { type Json, junk, key, text } from './junk.js';
import { mutate, mutation } from './mutate.js';
import { VALID } from './valid-requests.js';

const id: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: fc.integer() },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: junk },
);

const envelope: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom(...VALID), id)
  .map(([{ operation, params }, number]) => ({ jsonrpc: '2.0', id: number, method: operation, params }));

const wrongMethod: fc.Arbitrary<Json> = fc
  .tuple(
    envelope,
    fc.oneof(fc.constantFrom('message/send', 'sendMessage', 'rpc.discover', 'constructor'), text, key),
  )
  .map(([request, method]) => ({ ...(request as object), method }));

const mutated: fc.Arbitrary<Json> = fc
  .tuple(envelope, fc.array(mutation, { minLength: 1, maxLength: 3 }))
  .map(([request, mutations]) => mutate(request, mutations));

const json = fc.oneof(
  { weight: 12, arbitrary: mutated },
  { weight: 1, arbitrary: wrongMethod },
  { weight: 1, arbitrary: envelope },
  { weight: 1, arbitrary: junk },
);

const body = fc.oneof(
  { weight: 5, arbitrary: json.map(toBody) },
  { weight: 1, arbitrary: damaged(json.map(toBody)) },
);

export const jsonRpcRequest: fc.Arbitrary<FuzzRequest> = fc.record({
  method: fc.oneof(
    { weight: 30, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD') },
  ),
  path: fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom('', '/') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('/extra', '//', '?A2A-Version=1.0', '?__proto__=1', '/%41', '?%', '/.'),
    },
  ),
  headers,
  body,
  chunked,
  leaves,
});
