import { getEventListeners } from 'node:events';
import {
  ClientClosedError,
  ClientTimeoutError,
  HttpPool,
  ProtocolViolationError,
  TransportError,
} from 'nest-a2a/client';
import { UnsafeUrlError } from 'nest-a2a';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../../lib/client/http/exchange.js';
import { Peer, type PeerHandler } from '../peer.js';

const NO_LIMITS = { connectMs: 5_000, firstByteMs: 0, idleMs: 0, totalMs: 0 };
const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function peer(handle: PeerHandler): Promise<Peer> {
  const started = await Peer.start(handle);
  open.push(() => started.stop());
  return started;
}

function pool(): HttpPool {
  const made = new HttpPool();
  open.push(() => made.close());
  return made;
}

function get(from: HttpPool, base: string, limits = {}, signal?: AbortSignal): Promise<Exchange> {
  const { origin, pathname: path, protocol } = new URL(base);
  const request = {
    method: 'GET',
    origin: origin === 'null' ? `${protocol}//` : origin,
    path,
    headers: {},
  } as const;
  return from.send(request, { timeouts: { ...NO_LIMITS, ...limits }, ...(signal && { signal }) });
}

/** Waits until a count of the peer is what it should be. */
async function settled(count: () => Promise<number>, expected: number): Promise<void> {
  await expect.poll(count, { timeout: 5_000 }).toBe(expected);
}

describe('the limits of an exchange', () => {
  it('end one that does not begin to answer', async () => {
    const silent = await peer(() => {});
    const failure = get(pool(), silent.base, { firstByteMs: 60 });
    await expect(failure).rejects.toMatchObject({ phase: 'firstByte', limitMs: 60, requestSent: true });
    await settled(() => silent.sockets(), 0);
  });

  it('end one that falls silent, while heartbeats keep it', async () => {
    const stalling = await peer((_, response) => {
      let beats = 0;
      const timer = setInterval(() => (++beats < 6 ? response.write(':\n') : clearInterval(timer)), 40);
    });
    const exchange = await get(pool(), stalling.base, { idleMs: 150 });
    let received = 0;
    const reading = (async () => {
      while (await exchange.next()) received++;
    })();
    await expect(reading).rejects.toMatchObject({ phase: 'idle' });
    expect(received).toBe(5);
  });

  it('do not blame the peer for a reader that is slow', async () => {
    const large = Buffer.alloc(4 * 1024 * 1024, 'x');
    const fast = await peer((_, response) => response.end(large));
    const exchange = await get(pool(), fast.base, { idleMs: 80 });
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect((await exchange.text(large.length)).length).toBe(large.length);
  });

  it('end one that takes too long altogether', async () => {
    const endless = await peer((_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const exchange = await get(pool(), endless.base, { totalMs: 120 });
    const reading = (async () => {
      while (await exchange.next());
    })();
    await expect(reading).rejects.toMatchObject({ phase: 'total' });
    await settled(() => endless.sockets(), 0);
  });

  it('end one that is not connected', async () => {
    const dispatcher = new Agent({ connect: () => {} });
    open.push(() => dispatcher.destroy());
    const failure = get(new HttpPool({ dispatcher }), 'http://127.0.0.1:9', { connectMs: 80 });
    await expect(failure).rejects.toBeInstanceOf(ClientTimeoutError);
    await expect(failure).rejects.toMatchObject({ phase: 'connect', requestSent: false });
  });
});

describe('an exchange', () => {
  it('tells a connection that was never made from one that broke', async () => {
    const gone = await Peer.start(() => {});
    const { base } = gone;
    await gone.stop();
    await expect(get(pool(), base)).rejects.toMatchObject({ name: 'TransportError', requestSent: false });
    const breaking = await peer((_, response) => response.socket!.destroy());
    await expect(get(pool(), breaking.base)).rejects.toMatchObject({
      name: 'TransportError',
      requestSent: true,
    });
  });

  it('gives what came before the connection broke', async () => {
    const breaking = await peer((_, response) => {
      response.writeHead(200);
      response.write('half', () => response.socket!.destroy());
    });
    const exchange = await get(pool(), breaking.base);
    expect(String(await exchange.next())).toBe('half');
    await expect(exchange.next()).rejects.toBeInstanceOf(TransportError);
  });

  it('ends with the reason of a signal, before, at the head and in the body', async () => {
    const slow = await peer((request, response) => {
      if (request.url === '/body') response.writeHead(200).write('x');
    });
    const reason = new Error('enough');
    await expect(get(pool(), slow.base, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    const atHead = new AbortController();
    const failure = get(pool(), slow.base, {}, atHead.signal);
    await expect.poll(() => slow.requests.length).toBe(1);
    atHead.abort(reason);
    await expect(failure).rejects.toBe(reason);
    const inBody = new AbortController();
    const exchange = await get(pool(), `${slow.base}/body`, {}, inBody.signal);
    inBody.abort(reason);
    await expect(exchange.next()).rejects.toBe(reason);
    await settled(() => slow.sockets(), 0);
  });

  it('shares a signal with others without a warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const friendly = await peer((_, response) => response.end('ok'));
    const { signal } = new AbortController();
    const shared = pool();
    await Promise.all(
      Array.from({ length: 30 }, async () => (await get(shared, friendly.base, {}, signal)).text(10)),
    );
    await new Promise(setImmediate);
    process.off('warning', note);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('refuses a header that is none, without a try', async () => {
    const friendly = await peer((_, response) => response.end('ok'));
    const { origin } = new URL(friendly.base);
    const headers = { 'x-note': 'two\r\nlines' };
    const sending = pool().send({ method: 'GET', origin, path: '/', headers }, { timeouts: NO_LIMITS });
    await expect(sending).rejects.toBeInstanceOf(TypeError);
    expect(friendly.requests).toHaveLength(0);
  });

  it('refuses more than it is to read', async () => {
    const large = await peer((_, response) => response.end(Buffer.alloc(10_000)));
    const declared = await get(pool(), large.base);
    await expect(declared.text(9_999)).rejects.toBeInstanceOf(ProtocolViolationError);
    const chunked = await peer((_, response) => {
      response.write(Buffer.alloc(5_000));
      response.end(Buffer.alloc(5_000));
    });
    const undeclared = await get(pool(), chunked.base);
    await expect(undeclared.text(9_999)).rejects.toBeInstanceOf(ProtocolViolationError);
  });

  it('keeps its connection for those after it', async () => {
    const friendly = await peer((_, response) => response.end('ok'));
    const shared = pool();
    for (let i = 0; i < 20; i++) await (await get(shared, friendly.base)).text(10);
    // undici uses a connection again one turn of the event loop after its answer: two take turns.
    expect(await friendly.sockets()).toBeLessThanOrEqual(2);
  });
});

describe('a pool', () => {
  it('breaks off what is under way when it is closed, and sends nothing more', async () => {
    const slow = await peer(() => {});
    const closing = new HttpPool();
    const failure = get(closing, slow.base);
    await expect.poll(() => slow.requests.length).toBe(1);
    await Promise.all([closing.close(), expect(failure).rejects.toBeInstanceOf(ClientClosedError)]);
    await expect(get(closing, slow.base)).rejects.toBeInstanceOf(ClientClosedError);
    await settled(() => slow.sockets(), 0);
  });

  it.each([
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.1.1]/',
    'file:///etc/passwd',
  ])('never leads to %s', async (url) => {
    await expect(get(pool(), url)).rejects.toBeInstanceOf(UnsafeUrlError);
  });
});
