import { describe, expect, it } from 'vitest';
import type { CallRequest } from '../../../lib/interfaces/server-call-context.js';
import { UserServerCallContextBuilder } from '../../../lib/request-handler/defaults/user-server-call-context-builder.js';

const CALL: Omit<CallRequest, 'request' | 'headers'> = {
  agent: 'OrderAgent',
  operation: 'SendMessage',
  binding: 'JSONRPC',
  tenant: 't1',
  extensions: ['urn:a'],
};

const build = (request: unknown, headers: CallRequest['headers'] = {}, forwardHeaders: string[] = []) =>
  new UserServerCallContextBuilder({ transport: { forwardHeaders } }).build({ ...CALL, request, headers });
const userFrom = async (user: unknown) => (await build({ user })).user;

describe('UserServerCallContextBuilder', () => {
  it('passes the call on as a frozen JSON value', async () => {
    const call = await build({ user: 'ada' });
    expect(call).toEqual({ ...CALL, user: { id: 'ada' }, headers: {} });
    expect(JSON.parse(JSON.stringify(call))).toEqual(call);
    expect(Object.isFrozen(call)).toBe(true);
  });

  it.each([undefined, null, false])('takes %s for nobody', async (user) => {
    expect(await userFrom(user)).toBeNull();
  });

  it.each<[string, unknown, unknown]>([
    ['id', { id: 7 }, { id: '7' }],
    ['sub', { sub: 'ada', scope: 'read write' }, { id: 'ada', scopes: ['read', 'write'] }],
    ['userId', { userId: 'ada', roles: ['admin'] }, { id: 'ada', scopes: ['admin'] }],
    ['username', { username: 'ada', scopes: [] }, { id: 'ada', scopes: [] }],
    ['id before sub', { sub: 'b', id: 'a' }, { id: 'a', claims: { sub: 'b' } }],
  ])('reads %s', async (_member, user, expected) => {
    expect(await userFrom(user)).toEqual(expected);
  });

  it('keeps the rest as claims in plain JSON, but no secrets', async () => {
    class Row {
      id = 'ada';
      since = new Date(0);
      passwordHash = 's3cr3t-hash';
      apiKey = 's3cr3t-key';
      refresh_token = 's3cr3t-token';
      greet(): void {}
    }
    expect(await userFrom(new Row())).toEqual({ id: 'ada', claims: { since: '1970-01-01T00:00:00.000Z' } });
  });

  it('keeps scopes in a form of their own among the claims', async () => {
    expect(await userFrom({ id: 'ada', scopes: { read: true } })).toEqual({
      id: 'ada',
      claims: { scopes: { read: true } },
    });
  });

  it.each([[{}], [{ id: '' }], [{ id: {} }], [''], [true], [42], [['ada']]])(
    'cannot use %j',
    async (user) => {
      await expect(userFrom(user)).rejects.toThrow('request.user cannot be used');
    },
  );

  it('cannot use what is no JSON', async () => {
    const circular: Record<string, unknown> = { id: 'ada' };
    circular['self'] = circular;
    await expect(userFrom(circular)).rejects.toThrow('cannot be written as JSON');
  });

  it('finds what middleware left on the request of Node', async () => {
    expect((await build({ raw: { user: 'ada' } })).user).toEqual({ id: 'ada' });
  });

  it('forwards the allowed headers, and never credentials', async () => {
    const headers = {
      'x-request-id': '1',
      'accept-language': ['de', 'en'],
      authorization: 's3cr3t-token',
      cookie: 's3cr3t-cookie',
      'x-api-key': 's3cr3t-key',
    };
    const all = ['X-Request-Id', 'Accept-Language', 'Authorization', 'cookie', 'x-api-key', 'absent'];
    const call = await build({}, headers, all);
    expect(call.headers).toEqual({ 'x-request-id': '1', 'accept-language': 'de, en' });
  });

  it('takes a good trace context', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect((await build({}, { traceparent, tracestate: 'a=1' })).trace).toEqual({
      traceparent,
      tracestate: 'a=1',
    });
    expect((await build({}, { traceparent })).trace).toEqual({ traceparent });
    expect(await build({}, { traceparent: 'nonsense', tracestate: 'a=1' })).not.toHaveProperty('trace');
  });

  it('may look for the user elsewhere', async () => {
    class OwnBuilder extends UserServerCallContextBuilder {
      protected override userOf(request: unknown): unknown {
        return (request as { account: unknown }).account;
      }
    }
    const builder = new OwnBuilder({ transport: { forwardHeaders: [] } });
    const call = await builder.build({ ...CALL, request: { account: 'ada' }, headers: {} });
    expect(call.user).toEqual({ id: 'ada' });
  });
});
