import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { watchChild } from '../support/secrets/watch-child.js';
import { openStreams, type Platform, PLATFORMS, scripted, start, stop } from './apps.js';
import { read, send, startTask, subscribe, word } from './calls.js';

const SERVER = fileURLToPath(new URL('flood-server.mjs', import.meta.url));
const MIB = 1_024 * 1_024;
/** 200 MB in chunks of 100 kB. */
const CHUNKS = 2_000;
const CHUNK_BYTES = 100_000;
const WRITE_TIMEOUT_MS = 400;

interface Probe {
  readonly rss: number;
  readonly streams: number;
}

/** A process whose agent writes 200 MB at once. */
class FloodServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly base: string,
  ) {}

  static async start(platform: Platform): Promise<FloodServer> {
    const child = fork(SERVER, [platform], { execArgv: ['--expose-gc'], silent: true });
    watchChild(child);
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new FloodServer(child, `http://127.0.0.1:${port}`);
  }

  /** Memory after a collection, and open streams. */
  async probe(): Promise<Probe> {
    const answer = once(this.child, 'message') as Promise<[Probe]>;
    this.child.send('probe');
    return (await answer)[0];
  }

  /** Id of a task that waits for the number of chunks that it shall write. */
  async park(): Promise<string> {
    return (await send(this.base, 'park')).id;
  }

  /** Has the task write all chunks, and reads them as they come. How long that took, in ms. */
  async flood(taskId: string): Promise<number> {
    const begun = performance.now();
    const response = await open(this.base, taskId);
    await send(this.base, String(CHUNKS), {
      message: { taskId },
      configuration: { returnImmediately: true },
    });
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(CHUNKS * CHUNK_BYTES);
    return performance.now() - begun;
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill();
    await gone;
  }
}

/** A subscription that nobody reads yet. */
async function open(base: string, taskId: string): Promise<IncomingMessage> {
  const headers = { 'a2a-version': '1.0', connection: 'close' };
  const url = `${base}/a2a/rest/tasks/${taskId}:subscribe`;
  const [response] = (await once(request(url, { headers }).end(), 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return response;
}

/** What arrived before the connection was cut. */
async function remains(response: IncomingMessage): Promise<string> {
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
  })();
  await expect(reading).rejects.toThrow('aborted');
  return text;
}

describe.each(PLATFORMS)('A18: a client that does not read, on %s', (platform) => {
  it('costs no memory, and slows nobody down', { timeout: 60_000 }, async () => {
    const server = await FloodServer.start(platform);
    // The first flood warms up.
    await server.flood(await server.park());
    const msWithout = await server.flood(await server.park());
    const without = await server.probe();

    const taskId = await server.park();
    const slow = await open(server.base, taskId);
    const ms = await server.flood(taskId);
    const withSlow = await server.probe();
    expect(withSlow.rss - without.rss).toBeLessThan(8 * MIB);
    expect(withSlow.streams, 'the slow stream is still open when memory is measured').toBe(1);
    expect(ms).toBeLessThan(2 * msWithout + 1_000);
    slow.destroy();
    await server.stop();
  });
});

describe.concurrent.each(PLATFORMS)('A18: a client that does not read, on %s', (platform) => {
  it('is cut off after the write timeout, and may resume', async () => {
    const running = await start(platform, scripted({ transport: { writeTimeoutMs: WRITE_TIMEOUT_MS } }));
    const { app, base } = running;
    const { id } = await startTask(base, 'chunks:60000');
    const slow = await open(base, id);
    const others = await read(await subscribe('JSON-RPC', base, id));
    expect(word(others.at(-1)!)).toBe('COMPLETED');
    // Node looks once in that time whether the socket has taken something, so it lasts up to twice as long.
    await vi.waitFor(() => expect(openStreams(app)).toBe(0), { timeout: 2 * WRITE_TIMEOUT_MS + 1_000 });
    const seen = [...(await remains(slow)).matchAll(/^id: (\d+)\ndata: .*\n\n/gm)].map(([, n]) => Number(n));
    const missed = await read(await subscribe('REST', base, id, seen.at(-1)));
    expect(missed.length).toBeGreaterThan(1_000);
    expect(missed.map((event) => event.id)).toEqual(missed.map((_, i) => seen.at(-1)! + 1 + i));
    expect(missed.at(-1)!.id).toBe(others.at(-1)!.id);
    expect(word(missed.at(-1)!)).toBe('COMPLETED');
    await stop(running);
  });
});
