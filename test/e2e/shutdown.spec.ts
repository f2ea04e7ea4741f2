import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { M } from '../support/message.js';
import { restStream } from '../support/rest.js';
import { rpcStream } from '../support/rpc.js';
import { openStreams, PLATFORMS, type Running, scripted, start } from './apps.js';
import {
  BINDINGS,
  events,
  read,
  send,
  sendStream,
  startTask,
  type StreamedEvent,
  subscribe,
  word,
} from './calls.js';

const DRAIN_MS = 500;

describe.concurrent.each(PLATFORMS)('B03: closing the application, on %s', (platform) => {
  const startDraining = (drainMs = DRAIN_MS) => start(platform, scripted({ execution: { drainMs } }));

  /** Closes, and tells how long that took. */
  async function close({ app }: Running): Promise<number> {
    const begun = performance.now();
    await app.close();
    return performance.now() - begun;
  }

  async function rest(stream: AsyncIterable<StreamedEvent>): Promise<StreamedEvent[]> {
    const story: StreamedEvent[] = [];
    for await (const event of stream) story.push(event);
    return story;
  }

  it('ends open streams, with the end of their tasks first', async () => {
    const running = await startDraining();
    const texts = ['hold:20000', 'slow:100', 'silent:30', 'ignorecancel:20000', 'hold:100'];
    const stories = await Promise.all(
      texts.map(async (text, i) => {
        const stream = events(await sendStream(BINDINGS[i % 2]!, running.base, text));
        await stream.next();
        return { rest: rest(stream) };
      }),
    );
    expect(openStreams(running.app)).toBe(5);
    expect(await close(running)).toBeLessThan(2_000 + DRAIN_MS);
    const ended = await Promise.all(stories.map((story) => story.rest));
    for (const story of ended.slice(0, 4)) {
      const { statusUpdate } = story.at(-1)!.event;
      expect(statusUpdate?.status.state).toBe('TASK_STATE_FAILED');
      expect(statusUpdate?.metadata).toMatchObject({ reason: 'interrupted' });
      expect(JSON.stringify(statusUpdate?.status.message?.parts)).toContain('interrupted');
    }
    // There was time for this one.
    expect(word(ended[4]!.at(-1)!)).toBe('COMPLETED');
    expect(openStreams(running.app)).toBe(0);
  });

  it('ends streams of tasks that nobody works on', async () => {
    const running = await startDraining();
    const { id } = await send(running.base, 'park');
    const parked = read(await subscribe('JSON-RPC', running.base, id));
    const { id: left } = await startTask(running.base, 'detach:60000');
    const detached = read(await subscribe('REST', running.base, left));
    const resumed = read(await subscribe('REST', running.base, id, 3));
    expect(await close(running)).toBeLessThan(2_000 + DRAIN_MS);
    expect((await parked).map(word)).toEqual(['Task INPUT_REQUIRED']);
    expect((await detached).map(word).slice(0, 1)).toEqual(['Task WORKING']);
    expect(await resumed).toEqual([]);
    expect(openStreams(running.app)).toBe(0);
  });

  it('does not wait for a connection that never asked for anything', async () => {
    const running = await startDraining();
    const socket = connect(running.port, '127.0.0.1');
    await once(socket, 'connect');
    // Answered after it: the server knows the silent connection by then.
    await send(running.base, 'quick');
    expect(await close(running)).toBeLessThan(DRAIN_MS + 2_000);
    socket.destroy();
  });

  it('does not wait for a client that does not read', async () => {
    const running = await startDraining();
    const deaf = connect(running.port, '127.0.0.1').on('error', () => {});
    const body = JSON.stringify(M('bytes:20000000'));
    deaf.write(
      'POST /a2a/rest/message:stream HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\n' +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(deaf, 'readable');
    expect(openStreams(running.app)).toBe(1);
    expect(await close(running)).toBeLessThan(2_000 + DRAIN_MS);
    deaf.destroy();
  });

  it('refuses new work while it drains, and says when to come back', async () => {
    const running = await startDraining(5_000);
    const begun = await sendStream('REST', running.base, 'hold:3000');
    // Connections that are open already are served to the end.
    const closing = close(running);
    await sleep(100);
    const refused = await restStream(running.base, 'POST', '/message:send', M('quick'));
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const reason = expect.arrayContaining([expect.objectContaining({ reason: 'UNAVAILABLE' })]);
    expect(await refused.json()).toMatchObject({ error: { code: 503, details: reason } });
    const overRpc = await rpcStream(running.base, 'SendStreamingMessage', M('quick'));
    expect(overRpc.status).toBe(503);
    expect(await overRpc.json()).toMatchObject({ error: { code: -32000, data: reason } });
    expect((await read(begun)).map(word).at(-1)).toBe('COMPLETED');
    expect(await closing).toBeLessThan(2_000 + 5_000);
  });
});
