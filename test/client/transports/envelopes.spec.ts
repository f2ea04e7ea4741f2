import type { ServerResponse } from 'node:http';
import {
  createA2AClient,
  ProtocolViolationError,
  UnexpectedAnswerError,
  type ClientBinding,
} from 'nest-a2a/client';
import { afterEach, describe, expect, it } from 'vitest';
import { text } from '../clients.js';
import { answerJson, cardWith, Peer, TASK, type PeerRequest } from '../peer.js';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function clientOf(
  binding: ClientBinding,
  answer: (response: ServerResponse, id: number, request: PeerRequest) => unknown,
  options = {},
) {
  const peer = await Peer.start((request, response) => answer(response, request.json?.id, request));
  const client = createA2AClient(
    { card: cardWith([[binding, peer.base]]) },
    { retry: { attempts: 1 }, ...options },
  );
  closing.push(
    () => client.close(),
    () => peer.stop(),
  );
  return client;
}

function stream(response: ServerResponse, ...data: unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
}

const GOOD = { jsonrpc: '2.0', result: TASK };

/** Envelopes that are wrong, made for the id of the request. */
const WRONG: Readonly<Record<string, (id: number) => unknown>> = {
  'no version': (id) => ({ id, result: TASK }),
  'another version': (id) => ({ ...GOOD, jsonrpc: '1.0', id }),
  'a version that is a number': (id) => ({ ...GOOD, jsonrpc: 2, id }),
  'no id': () => GOOD,
  'another id': (id) => ({ ...GOOD, id: id + 1 }),
  'the id as a string': (id) => ({ ...GOOD, id: String(id) }),
  'an id of null beside a result': () => ({ ...GOOD, id: null }),
  'both a result and an error': (id) => ({ ...GOOD, id, error: { code: -32001, message: 'no' } }),
  'neither a result nor an error': (id) => ({ jsonrpc: '2.0', id }),
  'an error that is a text': (id) => ({ jsonrpc: '2.0', id, error: 'no' }),
  'a list': (id) => [{ ...GOOD, id }],
  'a result that is no task': (id) => ({ ...GOOD, id, result: { hello: 'world' } }),
  'a result of null': (id) => ({ ...GOOD, id, result: null }),
};

describe('an answer of JSON-RPC', () => {
  it.each(Object.entries(WRONG))('is refused with %s', async (_, envelope) => {
    const client = await clientOf('JSONRPC', (response, id) => answerJson(response, envelope(id)));
    await expect(client.getTask({ id: 't1' })).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it.each(Object.entries(WRONG))(
    'is refused in a stream with %s, after the events before it',
    async (_, envelope) => {
      const good = (id: number) => ({
        jsonrpc: '2.0',
        id,
        result: { task: { ...TASK, status: { state: 'TASK_STATE_WORKING' } } },
      });
      const client = await clientOf('JSONRPC', (response, id) => stream(response, good(id), envelope(id)));
      const { connection } = client as unknown as { connection: any };
      const events = await connection.open('SubscribeToTask', { id: 't1' });
      expect((await events.next()).value.event.task.id).toBe('t1');
      await expect(events.next()).rejects.toBeInstanceOf(ProtocolViolationError);
    },
  );

  it('may have an error without an id, when the peer could not read the request', async () => {
    const error = { code: -32700, message: 'Not JSON' };
    const client = await clientOf('JSONRPC', (response) =>
      answerJson(response, { jsonrpc: '2.0', id: null, error }),
    );
    await expect(client.getTask({ id: 't1' })).rejects.toMatchObject({
      reason: 'JSON_PARSE',
      message: 'Not JSON',
    });
  });
});

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('an answer over %s', (binding) => {
  const wrap = (id: number, result: unknown) =>
    binding === 'JSONRPC' ? { jsonrpc: '2.0', id, result } : result;

  it('keeps members and values that nobody here knows', async () => {
    const task = { ...TASK, status: { state: 'TASK_STATE_DREAMING', mood: 1 }, later: { version: [true] } };
    const client = await clientOf(binding, (response, id) => answerJson(response, wrap(id, task)));
    expect(await client.getTask({ id: 't1' })).toEqual(task);
  });

  it('has empty lists where ProtoJSON leaves them out', async () => {
    const client = await clientOf(binding, (response, id) => answerJson(response, wrap(id, {})));
    expect(await client.listTasks()).toEqual({ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 });
    expect((await client.listTaskPushNotificationConfigs({ taskId: 't1' })).configs).toEqual([]);
  });

  it.each([
    ['SendMessage', { task: TASK, message: { role: 'ROLE_AGENT', parts: [] } }],
    ['SendMessage', {}],
    ['SendMessage', TASK],
    ['GetTask', { task: TASK }],
    ['GetTask', { id: 't1' }],
    ['GetTask', 'a text'],
    ['ListTasks', { tasks: TASK }],
    ['GetExtendedAgentCard', TASK],
  ] as const)('is refused for %s when it is something else: %j', async (operation, answer) => {
    const client = await clientOf(binding, (response, id) => answerJson(response, wrap(id, answer)));
    const call = {
      SendMessage: () => client.sendMessage(text('hi')),
      GetTask: () => client.getTask({ id: 't1' }),
      ListTasks: () => client.listTasks(),
      GetExtendedAgentCard: () => client.getExtendedAgentCard(),
    }[operation];
    await expect(call()).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it.each([
    [200, { 'content-type': 'text/html' }],
    [500, { 'content-type': 'text/html; charset=utf-8' }],
    [404, {}],
    [302, { location: 'http://127.0.0.1:1/' }],
    [307, { location: '/elsewhere' }],
  ])('is refused when it is none of A2A: %d %j', async (status, headers) => {
    const urls: string[] = [];
    const client = await clientOf(binding, (response, _, { url }) => {
      urls.push(url);
      response.writeHead(status, headers).end('<p>secret</p>');
    });
    const failure = client.sendMessage(text('hi'));
    await expect(failure).rejects.toBeInstanceOf(UnexpectedAnswerError);
    await expect(failure).rejects.toMatchObject({ status });
    await expect(failure).rejects.not.toThrow('secret');
    expect(urls).toHaveLength(1);
  });

  it('is refused when it is compressed, or JSON by name only', async () => {
    const packed = await clientOf(binding, (response, id) =>
      answerJson(response, wrap(id, TASK), 200, { 'content-encoding': 'gzip' }),
    );
    await expect(packed.getTask({ id: 't1' })).rejects.toThrow('gzip');
    const broken = await clientOf(binding, (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":'),
    );
    await expect(broken.getTask({ id: 't1' })).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it('is refused when it is too large, or one event of it is', async () => {
    const large = 'x'.repeat(3_000);
    const task = { ...TASK, metadata: { large } };
    const limits = { maxAnswerBytes: 1_000, maxEventLength: 1_000 };
    const client = await clientOf(
      binding,
      (response, id, { headers }) =>
        headers.accept?.startsWith('text/event-stream')
          ? (response.writeHead(200, { 'content-type': 'text/event-stream' }),
            response.write(`data: ${JSON.stringify(wrap(id, { task })).slice(0, -10)}`))
          : answerJson(response, wrap(id, task)),
      limits,
    );
    await expect(client.getTask({ id: 't1' })).rejects.toBeInstanceOf(ProtocolViolationError);
    const events = client.subscribeToTask({ id: 't1' });
    await expect(events.next()).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it('is refused when it is a stream that was not asked for, or none that was', async () => {
    const client = await clientOf(binding, (response, id, { headers }) =>
      headers.accept?.startsWith('text/event-stream')
        ? answerJson(response, wrap(id, { task: TASK }))
        : stream(response, wrap(id, TASK)),
    );
    await expect(client.getTask({ id: 't1' })).rejects.toBeInstanceOf(UnexpectedAnswerError);
    await expect(client.subscribeToTask({ id: 't1' }).next()).rejects.toBeInstanceOf(ProtocolViolationError);
  });
});

describe('SubscribeToTask over HTTP+JSON', () => {
  it.each([404, 405])('is asked for with GET where POST answers %d, and from then on', async (status) => {
    const verbs: string[] = [];
    const client = await clientOf('HTTP+JSON', (response, _, { method }) => {
      verbs.push(method);
      if (method === 'POST') return response.writeHead(status, { 'content-type': 'text/plain' }).end('no');
      return stream(response, { task: TASK });
    });
    for (let i = 0; i < 2; i++)
      expect((await client.subscribeToTask({ id: 't1' }).next()).value?.task).toEqual(TASK);
    expect(verbs).toEqual(['POST', 'GET', 'GET']);
  });

  it('is not asked for twice when the task is what is missing', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_NOT_FOUND' }];
    const verbs: string[] = [];
    const client = await clientOf('HTTP+JSON', (response, _, { method }) => {
      verbs.push(method);
      answerJson(
        response,
        { error: { code: 404, status: 'NOT_FOUND', message: 'No such task', details } },
        404,
      );
    });
    await expect(client.subscribeToTask({ id: 't1' }).next()).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
    expect(verbs).toEqual(['POST']);
  });
});

describe('a path of HTTP+JSON', () => {
  it.each(['', '.', '..', '\ud800'])('is not made of the id %j', async (id) => {
    const client = await clientOf('HTTP+JSON', (response) => answerJson(response, TASK));
    const refusal = /^(id|tenant) must be able to stand in a path, unlike "/;
    await expect(client.getTask({ id })).rejects.toThrow(refusal);
    await expect(client.getTask({ id: 't1', tenant: '..' })).rejects.toThrow(refusal);
  });
});
