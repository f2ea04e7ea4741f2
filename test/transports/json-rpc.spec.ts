import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { JSON_V1, PLATFORMS, get, post, rpc, sendParams, startApp, task, type TestApp } from './harness.js';

describe.each(PLATFORMS)('JSON-RPC on %s', (platform) => {
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp(platform);
    url = `${app.url}/a2a/jsonrpc`;
  });
  afterAll(() => app.close());
  beforeEach(() => {
    app.handler.calls.length = 0;
    app.handler.answers = { sendMessage: () => ({ task: task() }) };
  });

  it.each(['', '/'])('answers a request at the path%s', async (slash) => {
    const { response, status, json } = await post(url + slash, rpc('SendMessage', sendParams()));
    expect(status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(json).toEqual({ jsonrpc: '2.0', id: 1, result: { task: task() } });
    expect(app.handler.calls[0]).toMatchObject({
      method: 'sendMessage',
      request: sendParams(),
      call: { agent: 'StubAgent', operation: 'SendMessage', binding: 'JSONRPC', tenant: '' },
    });
  });

  it.each([0, '', null, 'a', 7.5])('echoes the id %j', async (id) => {
    const { json } = await post(url, rpc('SendMessage', sendParams(), id));
    expect(json.id).toBe(id);
    expect(json.result).toBeDefined();
  });

  it.each([
    ['text that is no JSON', '{', -32700],
    ['nothing', '', -32600],
    ['null', 'null', -32600],
    ['a number', '1', -32600],
    ['an empty batch', '[]', -32600],
    ['a batch', JSON.stringify([rpc('GetTask', { id: 'x' })]), -32600],
    ['another version', JSON.stringify({ ...rpc('GetTask'), jsonrpc: '1.0' }), -32600],
    ['a method that is no string', JSON.stringify({ ...rpc('GetTask'), method: 1 }), -32600],
    ['an id that is an object', JSON.stringify(rpc('GetTask', {}, {})), -32600],
  ])('refuses %s with %i', async (_, body, code) => {
    const { status, json } = await post(url, body);
    expect(status).toBe(200);
    expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    expect(json.error.data[0]).toMatchObject({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo' });
    expect(app.handler.calls).toEqual([]);
  });

  it('says that batches are not served', async () => {
    const { json } = await post(url, [rpc('GetTask', { id: 'x' })]);
    expect(json.error.message).toMatch(/batch/i);
  });

  it.each(['Nope', '__proto__', 'constructor', 'toString', 'message/send'])(
    'knows no method %s',
    async (method) => {
      const { json } = await post(url, rpc(method));
      expect(json).toMatchObject({ id: 1, error: { code: -32601 } });
    },
  );

  it.each([[[]], [null], ['x']])('refuses the params %j with -32602', async (params) => {
    const { json } = await post(url, rpc('GetTask', params));
    expect(json).toMatchObject({ id: 1, error: { code: -32602 } });
  });

  it('names the fields that are wrong', async () => {
    const { json } = await post(url, rpc('SendMessage', { message: { role: 'ROLE_USER', parts: [{}] } }));
    expect(json.error.code).toBe(-32602);
    const bad = json.error.data.find((detail: { '@type': string }) => detail['@type'].endsWith('BadRequest'));
    const fields = bad.fieldViolations.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(expect.arrayContaining(['message.messageId', 'message.parts[0]']));
  });

  it('answers a notification with 204 and does nothing', async () => {
    const { status, text } = await post(url, { jsonrpc: '2.0', method: 'SendMessage', params: sendParams() });
    expect([status, text]).toEqual([204, '']);
    expect(app.handler.calls).toEqual([]);
  });

  it.each([
    ['application/json', true],
    ['application/a2a+json', true],
    ['application/a2a+json; charset=utf-8', true],
    ['APPLICATION/JSON; Charset="UTF-8"', true],
    ['application/json; charset=latin1', false],
    ['text/plain', false],
    ['junk', false],
  ])('takes the content type %s: %s', async (type, accepted) => {
    const { json } = await post(url, rpc('SendMessage', sendParams()), { 'Content-Type': type });
    expect(json.error?.code).toBe(accepted ? undefined : -32005);
  });

  it('refuses bodies that are compressed or no UTF-8', async () => {
    const gzip = await post(url, rpc('GetTask', { id: 'x' }), { 'Content-Encoding': 'gzip' });
    expect(gzip.json.error.code).toBe(-32005);
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const response = await fetch(url, { method: 'POST', headers: JSON_V1, body: bytes });
    expect(await response.json()).toMatchObject({ error: { code: -32700 } });
  });

  it('refuses JSON that nests too deep', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const body = JSON.stringify(rpc('SendMessage', sendParams('hi', { metadata: { a: 1 } }))).replace(
      '1}}',
      `${deep}}}`,
    );
    const { json } = await post(url, body);
    expect(json.error.code).toBe(-32602);
  });

  it('refuses other methods and longer paths in its shape', async () => {
    const read = await get(url);
    expect(read.status).toBe(405);
    expect(read.response.headers.get('allow')).toBe('POST');
    expect(read.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32601 } });
    expect((await post(`${url}/more`, rpc('GetTask'))).status).toBe(404);
  });

  it.each([undefined, '99.0', '1', 'v1.0', '1.0, 0.3'])('refuses the version %s', async (version) => {
    const headers = { 'Content-Type': 'application/json', ...(version && { 'A2A-Version': version }) };
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(rpc('GetTask', { id: 'x' })),
    });
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32009 } });
    expect(app.handler.calls).toEqual([]);
  });

  it('takes patch versions, and the version as a parameter', async () => {
    const patch = await post(url, rpc('GetTask', { id: 'x' }), { 'A2A-Version': '1.0.3' });
    expect(patch.json.result).toBeDefined();
    const query = await fetch(`${url}?A2A-Version=1.0`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(rpc('GetTask', { id: 'x' })),
    });
    expect(await query.json()).toHaveProperty('result');
  });

  it('passes the tenant on', async () => {
    await post(url, rpc('GetTask', { id: 'x', tenant: 't1' }));
    expect(app.handler.calls[0]).toMatchObject({ call: { tenant: 't1' }, request: { tenant: 't1' } });
  });

  it('tells nothing of an unexpected error', async () => {
    app.handler.answers['sendMessage'] = () => {
      throw new Error('db password=x at /srv/y');
    };
    const { status, text, json } = await post(url, rpc('SendMessage', sendParams()));
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: 1, error: { code: -32603, message: 'Internal error' } });
    expect(text).not.toMatch(/password|srv/);
    expect(json.error.data[0].metadata.correlationId).toMatch(/^[\w-]{36}$/);
  });

  it('does not need the version for the shape of an envelope error', async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{',
    });
    expect(await response.json()).toMatchObject({ error: { code: -32700 } });
  });
});
