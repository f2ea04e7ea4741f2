import { UnavailableError, type AgentCard } from 'nest-a2a';
import {
  ClientClosedError,
  createA2AClient,
  TransportError,
  UnexpectedAnswerError,
  type A2AClient,
  type A2AClientOptions,
} from 'nest-a2a/client';
import { afterEach, describe, expect, it } from 'vitest';
import { text } from '../clients.js';
import { answerJson, answerRpc, cardWith, Peer, TASK, type PeerHandler } from '../peer.js';

const open: (() => Promise<unknown>)[] = [];
const QUICK = { baseMs: 1 };

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function peer(handle: PeerHandler): Promise<Peer> {
  const started = await Peer.start(handle);
  open.push(() => started.stop());
  return started;
}

function client(card: AgentCard, options: A2AClientOptions = {}): A2AClient {
  const made = createA2AClient({ card }, { retry: QUICK, ...options });
  open.push(() => made.close());
  return made;
}

/** An address where nobody listens. */
async function nowhere(): Promise<string> {
  const gone = await Peer.start(() => {});
  const { base } = gone;
  await gone.stop();
  return base;
}

/** Fails in one way for a number of times, then answers. */
function failing(times: number, fail: PeerHandler): PeerHandler {
  let left = times;
  return (request, response) => {
    if (left-- > 0) return fail(request, response);
    const { method } = request.json;
    return answerRpc(request, response, method === 'SendMessage' ? { task: TASK } : TASK);
  };
}

const DROPPED: PeerHandler = (_, response) => response.socket!.destroy();
const BAD_GATEWAY: PeerHandler = (_, response) =>
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>secret page</h1>');
const BUSY: PeerHandler = (_, response) => answerJson(response, {}, 503, { 'retry-after': '0' });

describe.each(Object.entries({ DROPPED, BAD_GATEWAY, BUSY }))(
  'a peer that fails for a while: %s',
  (_, fail) => {
    it('is asked again what may be asked twice', async () => {
      const flaky = await peer(failing(2, fail));
      const task = await client(cardWith([['JSONRPC', flaky.base]])).getTask({ id: 't1' });
      expect(task).toEqual(TASK);
      expect(flaky.requests).toHaveLength(3);
    });

    it('is not sent a message again', async () => {
      const flaky = await peer(failing(1, fail));
      await expect(client(cardWith([['JSONRPC', flaky.base]])).sendMessage(text('hi'))).rejects.toThrow();
      expect(flaky.requests).toHaveLength(1);
    });

    it('is sent the same message again where it knows it by its id', async () => {
      const flaky = await peer(failing(2, fail));
      const policy = { retry: { ...QUICK, sends: true } };
      const { task } = await client(cardWith([['JSONRPC', flaky.base]]), policy).sendMessage(text('hi'));
      expect(task).toEqual(TASK);
      const ids = flaky.requests.map(({ json }) => json.params.message.messageId);
      expect(ids).toHaveLength(3);
      expect(new Set(ids).size).toBe(1);
    });
  },
);

describe('a call', () => {
  it('is made once the card is there, although it could not be had at first', async () => {
    let left = 2;
    const flaky: Peer = await peer((request, response) => {
      if (request.method === 'POST') return answerRpc(request, response, { task: TASK });
      if (left-- > 0) return BAD_GATEWAY(request, response);
      return answerJson(response, cardWith([['JSONRPC', flaky.base]]));
    });
    const caller = createA2AClient(flaky.base, { retry: QUICK });
    open.push(() => caller.close());
    expect((await caller.sendMessage(text('hi'))).task).toEqual(TASK);
    expect(flaky.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST']);
  });

  it('gives up after its tries, with the last error', async () => {
    const broken = await peer(BAD_GATEWAY);
    const failure = client(cardWith([['JSONRPC', broken.base]])).getTask({ id: 't1' });
    await expect(failure).rejects.toBeInstanceOf(UnexpectedAnswerError);
    await expect(failure).rejects.toMatchObject({ status: 502, contentType: 'text/html' });
    await expect(failure).rejects.not.toThrow('secret');
    expect(broken.requests).toHaveLength(3);
  });

  it('waits as long as the peer asks, and not at all for what is too long', async () => {
    const asking = await peer(
      failing(1, (_, response) => answerJson(response, {}, 503, { 'retry-after': '1' })),
    );
    const from = performance.now();
    await client(cardWith([['JSONRPC', asking.base]])).getTask({ id: 't1' });
    expect(performance.now() - from).toBeGreaterThanOrEqual(990);
    const later = await peer((_, response) => answerJson(response, {}, 503, { 'retry-after': '60' }));
    const failure = client(cardWith([['JSONRPC', later.base]])).getTask({ id: 't1' });
    await expect(failure).rejects.toBeInstanceOf(UnavailableError);
    await expect(failure).rejects.toMatchObject({ retryAfterSeconds: 60 });
    expect(later.requests).toHaveLength(1);
  });

  it('has one limit for all its tries', async () => {
    const broken = await peer(BAD_GATEWAY);
    const options = { timeouts: { totalMs: 100 }, retry: { attempts: 100, baseMs: 60 } };
    const from = performance.now();
    await expect(
      client(cardWith([['JSONRPC', broken.base]]), options).getTask({ id: 't1' }),
    ).rejects.toThrow();
    expect(performance.now() - from).toBeLessThan(1_000);
    expect(broken.requests.length).toBeLessThan(6);
  });

  it('ends at once when its signal aborts between two tries', async () => {
    const broken = await peer(BAD_GATEWAY);
    const leaving = new AbortController();
    const reason = new Error('enough');
    const failure = client(cardWith([['JSONRPC', broken.base]]), {
      retry: { baseMs: 60_000, maxMs: 60_000 },
    }).getTask({ id: 't1' }, { signal: leaving.signal });
    await expect.poll(() => broken.requests.length).toBe(1);
    setTimeout(() => leaving.abort(reason), 20);
    await expect(failure).rejects.toBe(reason);
  });
});

describe('a client that is closed', () => {
  it('makes no call wait for its next try', async () => {
    const broken = await peer(BAD_GATEWAY);
    let tell = (): void => {};
    const failed = new Promise<void>((resolve) => (tell = resolve));
    const caller = client(cardWith([['JSONRPC', broken.base]]), {
      retry: { baseMs: 60_000, maxMs: 60_000 },
      interceptors: [{ after: () => tell() }],
    });
    const failure = caller.getTask({ id: 't1' });
    await failed;
    await new Promise(setImmediate);
    await Promise.all([expect(failure).rejects.toBeInstanceOf(ClientClosedError), caller.close()]);
    await caller.close();
  });
});

describe('an agent with several interfaces', () => {
  it('is called on the next when the first cannot be reached, also to send, and from then on', async () => {
    const reachable = await peer(failing(0, DROPPED));
    const caller = client(
      cardWith([
        ['HTTP+JSON', await nowhere()],
        ['JSONRPC', reachable.base],
      ]),
    );
    expect((await caller.sendMessage(text('hi'))).task).toEqual(TASK);
    await caller.getTask({ id: 't1' });
    expect(reachable.requests).toHaveLength(2);
  });

  it('is not called on the next when the first answered anything', async () => {
    const broken = await peer(DROPPED);
    const other = await peer(failing(0, DROPPED));
    const caller = client(
      cardWith([
        ['JSONRPC', broken.base],
        ['JSONRPC', other.base],
      ]),
    );
    await expect(caller.sendMessage(text('hi'))).rejects.toBeInstanceOf(TransportError);
    expect(other.requests).toHaveLength(0);
  });

  it('gives up when none can be reached', async () => {
    const caller = client(
      cardWith([
        ['JSONRPC', await nowhere()],
        ['HTTP+JSON', await nowhere()],
      ]),
    );
    await expect(caller.sendMessage(text('hi'))).rejects.toMatchObject({ requestSent: false });
  });
});
