import { A2AError } from 'nest-a2a';
import { createA2AClient, type A2AClient, type ClientBinding } from 'nest-a2a/client';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ERRORS,
  httpStatusOf,
  jsonRpcHttpStatusOf,
  statusNameOf,
  type ErrorReason,
  type SpecPatch,
} from '../../../lib/protocol/error-table.js';
import { fromReason } from '../../../lib/protocol/error-from-reason.js';
import { text } from '../clients.js';
import { answerJson, cardWith, Peer } from '../peer.js';

const closing: (() => Promise<unknown>)[] = [];
const REASONS = Object.keys(ERRORS) as ErrorReason[];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function answering(
  binding: ClientBinding,
  status: number,
  error: object,
  headers = {},
): Promise<A2AClient> {
  const peer = await Peer.start(({ json }, response) =>
    answerJson(
      response,
      binding === 'JSONRPC' ? { jsonrpc: '2.0', id: json.id, error } : { error },
      status,
      headers,
    ),
  );
  const client = createA2AClient({ card: cardWith([[binding, peer.base]]) }, { retry: { attempts: 1 } });
  closing.push(
    () => client.close(),
    () => peer.stop(),
  );
  return client;
}

async function thrown(call: Promise<unknown>): Promise<A2AError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(A2AError);
  return error as A2AError;
}

describe.each(['1.0.0', '1.0.1'] as SpecPatch[])('an error of a peer of version %s', (patch) => {
  it.each(REASONS)('is the class of its reason: %s', async (reason) => {
    const error = fromReason(reason, 'What went wrong')!;
    const { details, code } = error;
    const rpc = { code, message: error.message, data: details };
    const status = httpStatusOf(error, patch);
    const rest = { code: status, status: statusNameOf(error, patch), message: error.message, details };
    const clients = [
      await answering('JSONRPC', jsonRpcHttpStatusOf(error), rpc),
      await answering('HTTP+JSON', status, rest),
    ];
    for (const client of clients) {
      const got = await thrown(client.sendMessage(text('hi')));
      expect(got.constructor).toBe(error.constructor);
      expect(got.message).toBe('What went wrong');
    }
  });
});

describe('an error without a reason', () => {
  it.each([
    [-32001, 200, 'TASK_NOT_FOUND'],
    [-32002, 200, 'TASK_NOT_CANCELABLE'],
    [-32009, 200, 'VERSION_NOT_SUPPORTED'],
    [-32602, 200, 'INVALID_PARAMS'],
    [-32603, 500, 'INTERNAL'],
    [-32600, 413, 'PAYLOAD_TOO_LARGE'],
    [-32600, 200, 'INVALID_REQUEST'],
    [-32601, 200, 'METHOD_NOT_FOUND'],
    [-32000, 403, 'PERMISSION_DENIED'],
    [-32000, 200, 'INTERNAL'],
    [-31999, 200, 'INTERNAL'],
  ])('is told by the code of JSON-RPC: %d with HTTP %d', async (code, status, reason) => {
    const client = await answering('JSONRPC', status, { code, message: 'No', data: 'free text' });
    expect(await thrown(client.getTask({ id: 't1' }))).toMatchObject({ reason, message: 'No' });
  });

  it.each([
    ['getTask', 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['cancelTask', 409, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
    ['cancelTask', 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
    ['getTask', 400, 'UNIMPLEMENTED', 'UNSUPPORTED_OPERATION'],
    ['getTask', 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['getTask', 415, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['getTask', 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
    ['getTask', 403, 'PERMISSION_DENIED', 'PERMISSION_DENIED'],
    ['getTask', 429, 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED'],
    ['getTask', 502, 'INTERNAL', 'INVALID_AGENT_RESPONSE'],
    ['getTask', 500, 'INTERNAL', 'INTERNAL'],
    ['getTask', 503, 'UNAVAILABLE', 'UNAVAILABLE'],
  ] as const)('is told by the status of HTTP+JSON: %s with %d %s', async (method, code, status, reason) => {
    const client = await answering('HTTP+JSON', code, { code, status, message: 'No' });
    expect(await thrown(client[method]({ id: 't1' }))).toMatchObject({ reason, message: 'No' });
  });
});

describe('an error', () => {
  it('keeps when to come back, and what to show', async () => {
    const busy = await answering('HTTP+JSON', 503, { code: 503, message: 'Later' }, { 'retry-after': '7' });
    expect(await thrown(busy.getTask({ id: 't1' }))).toMatchObject({ retryAfterSeconds: 7 });
    const date = new Date(Date.now() + 90_000).toUTCString();
    const limited = await answering(
      'JSONRPC',
      429,
      { code: -32000, message: 'Slow' },
      { 'retry-after': date },
    );
    const error = (await thrown(limited.getTask({ id: 't1' }))) as A2AError & { retryAfterSeconds: number };
    expect(error.retryAfterSeconds).toBeGreaterThan(80);
    const stranger = await answering(
      'JSONRPC',
      401,
      { code: -32000, message: 'Who?' },
      { 'www-authenticate': ['Bearer realm="a"', 'Basic realm="b"'] },
    );
    expect(await thrown(stranger.getTask({ id: 't1' }))).toMatchObject({
      challenges: ['Bearer realm="a"', 'Basic realm="b"'],
    });
  });

  it('may come in a stream', async () => {
    for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
      const peer = await Peer.start(({ json }, response) => {
        const error =
          binding === 'JSONRPC'
            ? { jsonrpc: '2.0', id: json.id, error: { code: -32603, message: 'Broke' } }
            : { error: { code: 500, status: 'INTERNAL', message: 'Broke' } };
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`data: ${JSON.stringify(error)}\n\n`);
      });
      const client = createA2AClient({ card: cardWith([[binding, peer.base]]) });
      closing.push(
        () => client.close(),
        () => peer.stop(),
      );
      const error = await thrown(client.subscribeToTask({ id: 't1' }).next());
      expect(error).toMatchObject({ reason: 'INTERNAL', message: 'Broke' });
    }
  });
});
