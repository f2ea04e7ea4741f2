import { UnauthenticatedError } from 'nest-a2a';
import { createA2AClient, type A2AClientOptions, type ClientInterceptor } from 'nest-a2a/client';
import { afterEach, describe, expect, it } from 'vitest';
import { text } from '../clients.js';
import { answerJson, answerRpc, cardWith, Peer, TASK, type PeerHandler } from '../peer.js';

let peer: Peer;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(handle: PeerHandler, options: A2AClientOptions, interfaceOptions = {}) {
  peer = await Peer.start(handle);
  const client = createA2AClient({ card: cardWith([['JSONRPC', peer.base, interfaceOptions]]) }, options);
  closing.push(
    () => client.close(),
    () => peer.stop(),
  );
  return client;
}

const ANSWER: PeerHandler = (request, response) => answerRpc(request, response, TASK);

describe('interceptors', () => {
  it('see the call in their order, and its outcome in the reverse', async () => {
    const seen: string[] = [];
    const named = (name: string): ClientInterceptor => ({
      before: (call) => {
        seen.push(`${name} before ${call.operation} ${call.attempt}`);
        call.headers['x-seen'] = (call.headers['x-seen'] ?? '') + name;
        call.query['key'] = name;
      },
      after: (_, error) => void seen.push(`${name} after ${error instanceof Error ? error.name : 'answer'}`),
    });
    const client = await start(ANSWER, { interceptors: [named('a'), named('b')] });
    await client.getTask({ id: 't1' });
    expect(seen).toEqual(['a before GetTask 1', 'b before GetTask 1', 'b after answer', 'a after answer']);
    expect(peer.requests[0]).toMatchObject({ url: '/?key=b', headers: { 'x-seen': 'ab' } });
  });

  it('may change the request, and refuse it', async () => {
    const client = await start(ANSWER, {
      interceptors: [
        {
          before: (call) => {
            if (call.operation === 'CancelTask') throw new Error('Not today');
            call.request = { ...call.request, id: 't2' } as typeof call.request;
          },
        },
      ],
    });
    await client.getTask({ id: 't1' });
    expect(peer.requests[0]!.json.params).toEqual({ id: 't2' });
    await expect(client.cancelTask({ id: 't1' })).rejects.toThrow('Not today');
    expect(peer.requests).toHaveLength(1);
  });

  it('bring other credentials after a 401, once', async () => {
    const attempts: number[] = [];
    let token = 'old';
    const options: A2AClientOptions = {
      interceptors: [
        {
          before: (call) => {
            attempts.push(call.attempt);
            call.headers['authorization'] = `Bearer ${token}`;
          },
          unauthorized: () => {
            token += '!';
            return true;
          },
        },
      ],
    };
    const client = await start((request, response) => {
      if (request.headers.authorization === 'Bearer old!')
        return answerRpc(request, response, { task: TASK });
      return answerJson(response, {}, 401, { 'www-authenticate': 'Bearer realm="a2a"' });
    }, options);
    await client.sendMessage(text('hi'));
    expect(attempts).toEqual([1, 2]);
    token = 'another';
    const refused = client.sendMessage(text('hi'));
    await expect(refused).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(refused).rejects.toMatchObject({ challenges: ['Bearer realm="a2a"'] });
    expect(attempts).toEqual([1, 2, 1, 2]);
    expect(peer.requests).toHaveLength(4);
  });

  it('do not keep a call whose signal aborts', async () => {
    const client = await start(ANSWER, { interceptors: [{ before: () => new Promise(() => {}) }] });
    const leaving = new AbortController();
    const failure = client.getTask({ id: 't1' }, { signal: leaving.signal });
    leaving.abort(new Error('enough'));
    await expect(failure).rejects.toThrow('enough');
  });
});

describe('every request', () => {
  it('says its version, extensions, trace and headers', async () => {
    const trace = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=1',
    };
    const client = await start(ANSWER, {
      extensions: ['https://a.example/ext'],
      headers: { 'X-Team': 'orders' },
      trace: () => trace,
    });
    await client.getTask({ id: 't1' }, { extensions: ['https://b.example/ext', 'https://a.example/ext'] });
    expect(peer.requests[0]!.headers).toMatchObject({
      'a2a-version': '1.0',
      'a2a-extensions': 'https://a.example/ext, https://b.example/ext',
      'x-team': 'orders',
      ...trace,
    });
    const other = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01' };
    await client.getTask({ id: 't1' }, { trace: other, headers: { 'x-team': 'billing' } });
    expect(peer.requests[1]!.headers).toMatchObject({ ...other, 'x-team': 'billing' });
    expect(peer.requests[1]!.headers).not.toHaveProperty('tracestate');
  });

  it('names the tenant of the interface', async () => {
    const client = await start(ANSWER, {}, { tenant: 'acme' });
    await client.getTask({ id: 't1' });
    expect(peer.requests[0]!.json.params).toEqual({ id: 't1', tenant: 'acme' });
  });
});
