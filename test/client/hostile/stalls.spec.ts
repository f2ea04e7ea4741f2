import { setTimeout as sleep } from 'node:timers/promises';
import { ClientTimeoutError } from 'nest-a2a/client';
import { expect, it } from 'vitest';
import { frames, STORY } from '../../support/hostile-events.js';
import { against, eventsOf, finished, SEND, streamOf } from './against.js';

const ONCE = { retry: { attempts: 1 } };

/** F05: each limit by itself, and what resets the limit of silence. */
against('a peer that stalls', (hostile) => {
  const phaseOf = async (call: Promise<unknown>): Promise<string> => {
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ClientTimeoutError);
    return (error as ClientTimeoutError).phase;
  };

  it('before it answers is given up after firstByteMs', async () => {
    hostile.agent.script((exchange) => exchange.left);
    const client = hostile.client({ ...ONCE, timeouts: { firstByteMs: 100 } });
    expect(await phaseOf(client.sendMessage(SEND))).toBe('firstByte');
    expect(await phaseOf(eventsOf(client.sendStreamingMessage(SEND)))).toBe('firstByte');
  });

  it('in the middle of its head is given up after firstByteMs', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\ncontent-type: applica');
      await exchange.left;
    });
    const client = hostile.client({ ...ONCE, timeouts: { firstByteMs: 100 } });
    expect(await phaseOf(client.sendMessage(SEND))).toBe('firstByte');
  });

  it('with interim answers only is given up after firstByteMs', async () => {
    hostile.agent.script(async (exchange) => {
      while (await exchange.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')) await sleep(20);
    });
    const client = hostile.client({ ...ONCE, timeouts: { firstByteMs: 200 } });
    await expect(client.sendMessage(SEND)).rejects.toBeInstanceOf(Error);
  });

  it('in the middle of an answer is given up after idleMs', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.head(200, { 'content-type': 'application/json', 'content-length': '500' });
      await exchange.write('{');
      await exchange.left;
    });
    const client = hostile.client({ ...ONCE, timeouts: { idleMs: 100 } });
    expect(await phaseOf(client.sendMessage(SEND))).toBe('idle');
  });

  it('but drips is given up after totalMs', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.head(200, { 'content-type': 'application/json' });
      while (await exchange.write(' ')) await sleep(10);
    });
    const client = hostile.client({ ...ONCE, timeouts: { idleMs: 1_000, totalMs: 200 } });
    await expect(client.sendMessage(SEND)).rejects.toMatchObject({ phase: 'total', limitMs: 200 });
  });

  it('with its card is given up as well', async () => {
    hostile.agent.script((exchange) => exchange.json(finished(exchange)));
    hostile.agent.card = (exchange) => exchange.left;
    const client = hostile.client({ ...ONCE, timeouts: { firstByteMs: 100 } });
    await expect(client.sendMessage(SEND)).rejects.toThrow(/did not begin to answer/);
  });

  it('between events but sends heartbeats is waited for', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      for (let i = 0; i < STORY.length; i++) {
        for (let beat = 0; beat < 6; beat++) {
          await sleep(50);
          await exchange.write(': \n\n');
        }
        await exchange.write(frames(exchange.request, STORY.slice(i, i + 1)));
      }
      exchange.end();
    });
    const client = hostile.client({ ...ONCE, timeouts: { idleMs: 250 } });
    expect(await eventsOf(client.sendStreamingMessage(SEND))).toEqual(STORY);
  });

  it('is not taken for one while the reader is slow', async () => {
    hostile.agent.script(streamOf(...STORY));
    const client = hostile.client({ ...ONCE, timeouts: { idleMs: 100 } });
    const seen: unknown[] = [];
    for await (const event of client.sendStreamingMessage(SEND)) {
      await sleep(150);
      seen.push(event);
    }
    expect(seen).toEqual(STORY);
  });

  it('may be left by a signal wherever the call is, with the reason of the signal', async () => {
    const reason = new Error('Enough');
    const stalls = {
      card: () => (hostile.agent.card = (exchange) => exchange.left),
      head: () => hostile.agent.script((exchange) => exchange.left),
      body: () =>
        hostile.agent.script(async (exchange) => {
          await exchange.head(200, { 'content-type': 'application/json' });
          await exchange.left;
        }),
    };
    for (const stall of Object.values(stalls)) {
      hostile.agent.script((exchange) => exchange.left);
      stall();
      const client = hostile.client();
      const abort = new AbortController();
      const call = client.sendMessage(SEND, { signal: abort.signal });
      setTimeout(() => abort.abort(reason), 50);
      await expect(call).rejects.toBe(reason);
    }
    const aborted = hostile.client().sendMessage(SEND, { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
  });

  it('in a stream may be left by a signal', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      await exchange.write(frames(exchange.request, STORY.slice(0, 2)));
      await exchange.left;
    });
    const abort = new AbortController();
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of hostile.client().sendStreamingMessage(SEND, { signal: abort.signal })) {
        seen.push(event);
        if (seen.length === 2) abort.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual(STORY.slice(0, 2));
  });
});
