import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TaskNotCancelableError, TaskNotFoundError, UnavailableError } from '../../lib/protocol/errors.js';
import { PLATFORMS, V1, get, post, sendParams, startApp, task, type TestApp } from './harness.js';

const LONG = 'x'.repeat(300);

describe.each(PLATFORMS)('HTTP+JSON on %s', (platform) => {
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp(platform);
    url = `${app.url}/a2a/rest`;
  });
  afterAll(() => app.close());
  beforeEach(() => {
    app.handler.calls.length = 0;
    app.handler.answers = {};
  });

  describe.each([
    ['', ''],
    ['/t1', 't1'],
  ])('with the path prefix "%s"', (prefix, tenant) => {
    it.each([
      ['POST', '/message:send', 'sendMessage', {}],
      ['POST', '/message%3Asend', 'sendMessage', {}],
      ['GET', '/tasks/x', 'getTask', { id: 'x' }],
      ['GET', '/tasks/a:b:c', 'getTask', { id: 'a:b:c' }],
      ['GET', `/tasks/${LONG}`, 'getTask', { id: LONG }],
      ['GET', '/tasks/a%2Fb', 'getTask', { id: 'a/b' }],
      ['GET', '/tasks', 'listTasks', {}],
      ['GET', '/tasks/', 'listTasks', {}],
      ['POST', '/tasks/x:cancel', 'cancelTask', { id: 'x' }],
      ['POST', '/tasks/x%3Acancel', 'cancelTask', { id: 'x' }],
      ['POST', '/tasks/a:b:cancel', 'cancelTask', { id: 'a:b' }],
      ['POST', '/tasks/x/pushNotificationConfigs', 'createTaskPushNotificationConfig', { taskId: 'x' }],
      ['GET', '/tasks/x/pushNotificationConfigs', 'listTaskPushNotificationConfigs', { taskId: 'x' }],
      [
        'GET',
        '/tasks/x/pushNotificationConfigs/y',
        'getTaskPushNotificationConfig',
        { taskId: 'x', id: 'y' },
      ],
      [
        'DELETE',
        '/tasks/x/pushNotificationConfigs/y',
        'deleteTaskPushNotificationConfig',
        { taskId: 'x', id: 'y' },
      ],
      ['GET', '/extendedAgentCard', 'getExtendedAgentCard', {}],
    ])('%s %s', async (verb, path, method, request) => {
      const body = path.includes('message')
        ? sendParams()
        : path.endsWith('Configs')
          ? { url: 'https://x.test' }
          : {};
      const { status } =
        verb === 'POST' ? await post(url + prefix + path, body) : await get(url + prefix + path, {}, verb);
      expect(status).toBe(200);
      expect(app.handler.calls).toHaveLength(1);
      expect(app.handler.calls[0]).toMatchObject({ method, request, call: { tenant, binding: 'HTTP+JSON' } });
    });
  });

  it('takes commands without a body', async () => {
    expect((await post(`${url}/tasks/x:cancel`, '')).status).toBe(200);
    const bare = await fetch(`${url}/tasks/x:cancel`, { method: 'POST', headers: V1 });
    expect(bare.status).toBe(200);
  });

  it('reads query parameters with their types', async () => {
    const query =
      'contextId=c1&status=TASK_STATE_WORKING&page_size=5&historyLength=0&includeArtifacts=true&unknown=1&contextId=c2';
    await get(`${url}/tasks?${query}`);
    expect(app.handler.calls[0]!.request).toEqual({
      contextId: 'c1',
      status: 'TASK_STATE_WORKING',
      pageSize: 5,
      historyLength: 0,
      includeArtifacts: true,
    });
  });

  it.each([
    'historyLength=-x',
    'historyLength=1.5',
    'includeArtifacts=maybe',
    'status=NOPE',
    'pageSize=99999999999',
  ])('refuses ?%s and names the field', async (query) => {
    const { status, json } = await get(`${url}/tasks?${query}`);
    expect(status).toBe(400);
    expect(json.error.details[1].fieldViolations[0].field).toBe(query.split('=')[0]);
  });

  it('refuses a body that contradicts the path', async () => {
    const tenants = await post(`${url}/t1/message:send`, sendParams('hi', { tenant: 't2' }));
    expect(tenants.status).toBe(400);
    expect(tenants.json.error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    expect(tenants.json.error.details[1].fieldViolations).toMatchObject([{ field: 'tenant' }]);
    expect((await post(`${url}/tasks/x:cancel`, { id: 'y' })).status).toBe(400);
    expect(
      (await post(`${url}/tasks/x/pushNotificationConfigs`, { task_id: 'y', url: 'https://x.test' })).status,
    ).toBe(400);
    expect(app.handler.calls).toEqual([]);
    expect((await post(`${url}/t1/message:send`, sendParams('hi', { tenant: 't1' }))).status).toBe(200);
  });

  it.each([
    ['GET', '/message:send', 405, 'POST'],
    ['PUT', '/tasks/x', 405, 'GET'],
    ['POST', '/nope', 404, null],
    ['GET', '', 404, null],
    ['GET', '/', 404, null],
    ['GET', '/a/b/c/d/e/f/g/h', 404, null],
    ['GET', '//', 404, null],
    ['DELETE', '/tasks', 405, 'GET'],
    ['PATCH', '/message:stream', 405, 'POST'],
  ])('%s %s → %i', async (verb, path, status, allow) => {
    const answer = await get(url + path, {}, verb);
    expect(answer.status).toBe(status);
    expect(answer.response.headers.get('allow')).toBe(allow);
    expect(answer.response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.json.error).toMatchObject({
      code: status,
      status: expect.any(String),
      message: expect.any(String),
    });
    expect(answer.json.error.details[0].reason).toBe(
      status === 404 ? 'ROUTE_NOT_FOUND' : 'METHOD_NOT_ALLOWED',
    );
  });

  it.each(['{', '[]', '1', '"x"'])('refuses the body %s', async (body) => {
    const { status, json } = await post(`${url}/message:send`, body);
    expect(status).toBe(400);
    expect(json.error.status).toBe('INVALID_ARGUMENT');
  });

  it('maps errors to their status and details', async () => {
    const failing = async (error: Error) => {
      app.handler.answers['getTask'] = () => Promise.reject(error);
      return get(`${url}/tasks/x`);
    };
    expect(await failing(new TaskNotFoundError())).toMatchObject({
      status: 404,
      json: {
        error: {
          code: 404,
          status: 'NOT_FOUND',
          details: [{ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }],
        },
      },
    });
    expect(await failing(new TaskNotCancelableError())).toMatchObject({ status: 409 });
    const unavailable = await failing(new UnavailableError(undefined, { retryAfterSeconds: 7 }));
    expect(unavailable.status).toBe(503);
    expect(unavailable.response.headers.get('retry-after')).toBe('7');
    const unknown = await failing(new Error('secret'));
    expect(unknown).toMatchObject({ status: 500, json: { error: { status: 'INTERNAL' } } });
    expect(unknown.text).not.toContain('secret');
  });

  it('answers in the media type that the client accepts, or sends', async () => {
    const typeOf = async (headers: Record<string, string>) =>
      (await post(`${url}/message:send`, sendParams(), headers)).response.headers.get('content-type');
    expect(await typeOf({})).toMatch(/^application\/json/);
    expect(await typeOf({ 'Content-Type': 'Application/A2A+JSON' })).toMatch(/^application\/a2a\+json/);
    expect(await typeOf({ Accept: 'application/a2a+json, text/event-stream' })).toMatch(
      /^application\/a2a\+json/,
    );
    expect(await typeOf({ 'Content-Type': 'application/a2a+json', Accept: 'application/json' })).toMatch(
      /^application\/json/,
    );
  });

  it('refuses other media types with 415', async () => {
    const { status, json } = await post(`${url}/message:send`, 'hi', { 'Content-Type': 'text/plain' });
    expect(status).toBe(415);
    expect(json.error.details[0].reason).toBe('CONTENT_TYPE_NOT_SUPPORTED');
    const encoded = await post(`${url}/message:send`, sendParams(), { 'Content-Encoding': 'br' });
    expect(encoded.status).toBe(415);
  });

  it.runIf(platform === 'express')('refuses a malformed percent-encoding', async () => {
    const socket = connect(app.port, '127.0.0.1');
    socket.write('GET /a2a/rest/tasks/%E0%A4%A HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1.1 400/);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ error: { code: 400 } });
  });

  it('answers with what the operation answers', async () => {
    app.handler.answers['sendMessage'] = () => ({ task: task('t9') });
    const { json } = await post(`${url}/message:send`, sendParams());
    expect(json).toEqual({ task: task('t9') });
    app.handler.answers['deleteTaskPushNotificationConfig'] = () => ({});
    const deleted = await get(`${url}/tasks/x/pushNotificationConfigs/y`, {}, 'DELETE');
    expect([deleted.status, deleted.json]).toEqual([200, {}]);
  });
});
