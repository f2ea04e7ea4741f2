import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { AgentExecutor, RequestContext, Skill, status } from 'nest-a2a';
import { describe, expect, it } from 'vitest';
import {
  ERRORS,
  jsonRpcHttpStatusOf,
  type ErrorReason,
  type ErrorRow,
} from '../../lib/protocol/error-table.js';
import { headersOf, readAnswer, type Answer } from '../support/http.js';
import { M } from '../support/message.js';
import { rest } from '../support/rest.js';
import { rpc } from '../support/rpc.js';
import { agentModule } from './agent-module.js';
import { PLATFORMS, serve } from './serve.js';

const AGENT = { name: 'Test', description: 'Does what the guide says', version: '1.0.0' };

@AgentExecutor({ ...AGENT, extensions: [{ uri: 'urn:known' }] })
class EchoAgent {
  @Skill({
    id: 'echo',
    name: 'Echo',
    description: 'Echoes',
    tags: ['test'],
    inputModes: ['text/plain', 'image/*', 'application/json'],
  })
  async *echo({ message }: RequestContext) {
    yield { artifactUpdate: { artifact: { artifactId: 'echo', parts: message.parts }, lastChunk: true } };
    if (message.parts[0]?.text === 'stay') yield status('TASK_STATE_INPUT_REQUIRED');
  }
}

/** Sends a body as it is. */
async function post(
  url: string,
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string | undefined> = {},
) {
  const json = { 'content-type': 'application/json' };
  return readAnswer<any>(await fetch(url, { method: 'POST', body, headers: headersOf(json, headers) }));
}

const reason = ({ body }: Answer<any>) => (body.error?.data ?? body.error?.details)?.[0].reason;

describe('the table of errors', () => {
  it('is that of the library', async () => {
    const text = await readFile(new URL('../../docs/guides/protocol.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| ([A-Z_]+) +\|(.*)\|$/gm)];
    const told = rows.map(([, name, cells = '']) => [name, ...cells.split('|').map((cell) => cell.trim())]);
    expect(told).toEqual(
      Object.entries(ERRORS).map(([name, row]: [string, ErrorRow]) => [
        name,
        String(row.code),
        String(jsonRpcHttpStatusOf({ reason: name as ErrorReason })),
        String(row.httpStatus),
        String(row.patch1?.httpStatus ?? row.patch1?.status ?? ''),
      ]),
    );
  });
});

describe.each(PLATFORMS)('the guide to the protocol, on %s', (platform) => {
  it('says what is said of versions and extensions', async () => {
    await using served = await serve(platform, agentModule([EchoAgent]));
    const url = `${served.base}/a2a/jsonrpc`;
    const list = '{"jsonrpc":"2.0","id":1,"method":"ListTasks"}';
    const version = async (header: string | undefined, query = '') =>
      reason(await post(url + query, list, { 'a2a-version': header })) ?? 'served';
    expect(await version('1.0.3')).toBe('served');
    expect(await version(undefined, '?A2A-Version=1.0')).toBe('served');
    expect(await version(undefined)).toBe('VERSION_NOT_SUPPORTED');
    expect(await version('2.0', '?A2A-Version=1.0')).toBe('VERSION_NOT_SUPPORTED');
    const active = await post(url, list, { 'a2a-extensions': 'urn:known, urn:other' });
    expect(active.headers.get('a2a-extensions')).toBe('urn:known');
  });

  it('says what is said of JSON-RPC', async () => {
    await using served = await serve(platform, agentModule([EchoAgent]));
    const url = `${served.base}/a2a/jsonrpc`;
    expect(reason(await post(url, '[]'))).toBe('INVALID_REQUEST');
    const send = (id: string) =>
      post(url, `{"jsonrpc":"2.0",${id}"method":"SendMessage","params":${JSON.stringify(M('hi'))}}`);
    const silent = await send('');
    expect([silent.status, silent.body]).toEqual([204, undefined]);
    expect((await rpc(served.base, 'ListTasks', {})).body.result.totalSize).toBe(0);
    for (const id of ['null', '0', '""']) {
      const { body } = await send(`"id":${id},`);
      expect(JSON.stringify(body.id)).toBe(id);
    }
    const old = await rpc(served.base, 'message/send', {});
    expect(old.body.error!.message).toContain('0.3');
    expect(reason(old)).toBe('METHOD_NOT_FOUND');
  });

  it('says what is said of bodies and numbers', async () => {
    await using served = await serve(platform, agentModule([EchoAgent]));
    const url = `${served.base}/a2a/rest/message:send`;
    expect(reason(await post(url, 'hi', { 'content-type': 'text/plain' }))).toBe(
      'CONTENT_TYPE_NOT_SUPPORTED',
    );
    const packed = await post(url, gzipSync(JSON.stringify(M('hi'))), { 'content-encoding': 'gzip' });
    expect([packed.status, reason(packed)]).toEqual([415, 'CONTENT_TYPE_NOT_SUPPORTED']);
    const data = async (json: string) =>
      post(url, `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"data":${json}}],"new":1}}`);
    const partOf = ({ body }: Answer<any>) => body.task.artifacts[0].parts[0];
    expect(partOf(await data('9007199254740993'))).toEqual({ data: 9007199254740992 });
    expect(partOf(await data('null'))).toEqual({ data: null });
    expect(reason(await data('NaN'))).toBe('JSON_PARSE');
    const huge = await data('1e400');
    expect(huge.body.error.details[1].fieldViolations[0].field).toBe('message.parts[0].data');
    const snake =
      '{"message":{"message_id":"1","role":"ROLE_USER","parts":[{"raw":"_-8","media_type":"image/png"}]}}';
    expect(partOf(await post(url, snake))).toEqual({ raw: '/+8=', mediaType: 'image/png' });
    const role = JSON.stringify(M('hi')).replace('ROLE_USER', 'ROLE_ADMIN');
    expect((await post(url, role)).body.error.message).toContain('ROLE_USER, ROLE_AGENT');
    const accepted = await post(url, JSON.stringify(M('hi')), { accept: 'application/a2a+json' });
    expect(accepted.headers.get('content-type')).toContain('application/a2a+json');
  });

  it('says what is said of input modes', async () => {
    const send = (base: string, part: object) =>
      rpc(base, 'SendMessage', M('', { message: { parts: [part as never] } }));
    await using served = await serve(platform, agentModule([EchoAgent]));
    expect(reason(await send(served.base, { raw: 'YQ==', mediaType: 'image/png' }))).toBeUndefined();
    expect(
      reason(await send(served.base, { text: 'a', mediaType: 'text/plain; charset=utf-8' })),
    ).toBeUndefined();
    expect(reason(await send(served.base, { raw: 'YQ==', mediaType: 'video/mp4' }))).toBe(
      'CONTENT_TYPE_NOT_SUPPORTED',
    );
    await using lax = await serve(platform, agentModule([EchoAgent], { checkInputModes: false }));
    expect(reason(await send(lax.base, { raw: 'YQ==', mediaType: 'video/mp4' }))).toBeUndefined();
  });

  it('says what is said of operations', async () => {
    await using served = await serve(platform, agentModule([EchoAgent]));
    const { base } = served;
    const message = M('stay');
    const [first, second] = [
      await rpc(base, 'SendMessage', message),
      await rpc(base, 'SendMessage', message),
    ];
    const { id } = first.body.result.task;
    expect(second.body.result.task.id).not.toBe(id);
    const listed = await rest(base, 'GET', '/tasks?pageSize=1');
    expect(listed.body.tasks[0].artifacts).toBeUndefined();
    const page = (query: string) =>
      rest(base, 'GET', `/tasks?${query}&pageToken=${listed.body.nextPageToken}`);
    expect((await page('pageSize=1')).body).toMatchObject({ tasks: [{ id }], nextPageToken: '' });
    expect(reason(await page('status=TASK_STATE_WORKING'))).toBe('INVALID_PARAMS');
    expect(reason(await rest(base, 'GET', '/tasks?pageSize=101'))).toBe('INVALID_PARAMS');
    expect(reason(await rest(base, 'GET', '/tasks?historyLength=-1'))).toBe('INVALID_PARAMS');
    expect((await rest(base, 'GET', `/tasks/${id}?historyLength=0`)).body.history).toBeUndefined();
    const other = await rpc(base, 'SendMessage', M('hi', { message: { taskId: id, contextId: 'other' } }));
    expect(reason(other)).toBe('INVALID_PARAMS');
    for (let i = 0; i < 2; i++) {
      const { body } = await rest(base, 'POST', `/tasks/${id}%3Acancel`, {});
      expect(body.status.state).toBe('TASK_STATE_CANCELED');
    }
    expect(reason(await rpc(base, 'SendMessage', M('hi', { message: { taskId: id } })))).toBe(
      'UNSUPPORTED_OPERATION',
    );
    const done = (await rpc(base, 'SendMessage', M('hi'))).body.result.task;
    expect(reason(await rpc(base, 'CancelTask', { id: done.id }))).toBe('TASK_NOT_CANCELABLE');
  });
});
