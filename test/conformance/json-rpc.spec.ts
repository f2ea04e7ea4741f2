import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { headersOf } from '../support/http.js';
import { M } from '../support/message.js';
import { PLATFORMS } from './support/app.js';
import { Peer } from './support/peer.js';

const SEND = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: M('quick') };

describe.each(PLATFORMS)('D10 JSON-RPC envelopes on %s', (adapter) => {
  let fixture: Fixture;
  let peer: Peer;

  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: adapter });
    peer = new Peer(`${fixture.base}/a2a`, 'JSONRPC');
  });
  afterAll(() => fixture?.close());

  async function post(body: string) {
    const response = await fetch(`${peer.url}/jsonrpc`, {
      method: 'POST',
      headers: headersOf({ 'content-type': 'application/json' }),
      body,
    });
    const text = await response.text();
    return { status: response.status, text, json: text === '' ? undefined : JSON.parse(text) };
  }

  const countTasks = async () => (await peer.ok('ListTasks')).totalSize;

  it.each([
    ['a cut body', '{"jsonrpc":"2.0","id":1,'],
    ['no JSON', 'hello'],
    ['two values', '{} {}'],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ListTasks"}'],
  ])('refuses %s with -32700 and id null', async (_, body) => {
    const { status, json } = await post(body);
    expect(status).toBe(200);
    expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    expect(json.error.data[0]).toMatchObject({ reason: 'JSON_PARSE', domain: 'a2a-protocol.org' });
  });

  it.each([
    ['an empty body', ''],
    ['null', 'null'],
    ['a string', '"SendMessage"'],
    ['a number', '1'],
    ['an empty object', '{}'],
    ['no version', JSON.stringify({ ...SEND, jsonrpc: undefined })],
    ['version 1.0', JSON.stringify({ ...SEND, jsonrpc: '1.0' })],
    ['version as a number', JSON.stringify({ ...SEND, jsonrpc: 2.0 })],
    ['no method', JSON.stringify({ ...SEND, method: undefined })],
    ['a method that is a number', JSON.stringify({ ...SEND, method: 1 })],
    ['a method that is null', JSON.stringify({ ...SEND, method: null })],
    ['an object as id', JSON.stringify({ ...SEND, id: {} })],
    ['an array as id', JSON.stringify({ ...SEND, id: [1] })],
    ['a boolean as id', JSON.stringify({ ...SEND, id: true })],
  ])('refuses %s with -32600 and id null', async (_, body) => {
    const before = await countTasks();
    const { status, json } = await post(body);
    expect(status).toBe(200);
    expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    expect(json).not.toHaveProperty('result');
    expect(await countTasks()).toBe(before);
  });

  it.each([
    ['an empty batch', '[]'],
    ['a batch', JSON.stringify([SEND, { ...SEND, id: 2 }])],
  ])('refuses %s with -32600, says so, and runs nothing of it', async (_, body) => {
    const before = await countTasks();
    const { json } = await post(body);
    expect(json).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringMatching(/batch/i) },
    });
    expect(await countTasks()).toBe(before);
  });

  it.each([[null], [0], [''], [-1], [1.5], ['a"\\\u2028'], [Number.MAX_SAFE_INTEGER]])(
    'answers a request with id %j and echoes it',
    async (id) => {
      const good = await post(JSON.stringify({ ...SEND, id }));
      expect(good.json.id).toBe(id);
      expect(good.json.result.task.status.state).toBe('TASK_STATE_COMPLETED');
      const bad = await post(JSON.stringify({ jsonrpc: '2.0', id, method: 'GetTask', params: { id: 'x' } }));
      expect(bad.json).toMatchObject({ id, error: { code: -32001 } });
    },
  );

  it('takes a request without id for a notification: 204, no body, no task', async () => {
    const before = await countTasks();
    const { status, text } = await post(JSON.stringify({ ...SEND, id: undefined }));
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(await countTasks()).toBe(before);
  });

  it.each([
    'Nothing',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'sendMessage',
    'sendmessage',
    'SendMessage ',
    '',
    'message/send',
  ])('refuses the method %j with -32601', async (method) => {
    const { status, json } = await post(JSON.stringify({ ...SEND, method }));
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(json.error.data[0]).toMatchObject({ reason: 'METHOD_NOT_FOUND' });
  });

  it.each([[[]], [[{ id: 'x' }]], [null], ['x'], [1], [true]])(
    'refuses params %j with -32602',
    async (params) => {
      const { json } = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'GetTask', params }));
      expect(json).toMatchObject({ id: 7, error: { code: -32602 } });
    },
  );

  it('takes absent params as empty', async () => {
    const { json } = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ListTasks' }));
    expect(json.result.tasks).toBeInstanceOf(Array);
  });

  it('does not stumble over __proto__ as a member', async () => {
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"SendMessage","__proto__":{"x":1},"params":{"__proto__":{"tenant":"evil"},' +
      '"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"whoami"}],"metadata":{"__proto__":{"a":1}}}}}';
    const { json, text } = await post(body);
    expect(JSON.parse(json.result.task.artifacts[0].parts[0].text)).toMatchObject({ tenant: '' });
    expect(text).toContain('"metadata":{"__proto__":{"a":1}}');
    expect(({} as Record<string, unknown>)['tenant']).toBeUndefined();
  });
});
