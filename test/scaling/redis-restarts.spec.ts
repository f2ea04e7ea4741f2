import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasRedisServer, OwnRedis } from '../redis/own-redis.js';
import { type Backing, createBacking } from '../support/backing.js';
import { M } from '../support/message.js';
import { type FixtureProcess, Processes } from '../support/processes.js';
import { rpc, rpcStream } from '../support/rpc.js';
import { sse } from '../support/sse.js';

const RENEW_MS = 500;

// What docs/guides/scaling.md says of a Redis that is restarted.

describe.skipIf(!hasRedisServer)(
  'A Redis that was restarted and had persisted nothing (needs the program redis-server)',
  () => {
    let redis: OwnRedis;
    let backing: Backing;
    let server: FixtureProcess;
    const processes = new Processes();
    let finished: string;
    let parked: string;
    let running: string;
    let stream: Promise<unknown[]>;

    const send = async (text: string, extra = {}) =>
      (await rpc(server.base, 'SendMessage', M(text, extra))).body.result.task;
    const get = async (id: string) => (await rpc(server.base, 'GetTask', { id })).body.result;

    beforeAll(async () => {
      redis = await OwnRedis.start();
      backing = await createBacking({ STORE: 'sqlite', QUEUE: 'memory' });
      server = await processes.start({
        ...backing.env,
        QUEUE: 'redis',
        REDIS_URL: redis.url,
        LEASE_RENEW_MS: String(RENEW_MS),
      });
      finished = (await send('quick')).id;
      parked = (await send('park')).id;
      running = (await send('hold:600000', { configuration: { returnImmediately: true } })).id;
      await vi.waitUntil(async () => (await get(running)).status.state === 'TASK_STATE_WORKING');
      const frames = sse(await rpcStream(server.base, 'SubscribeToTask', { id: running }));
      await frames.next();
      stream = collect(frames);
      await redis.stop();
      await redis.start();
    }, 60_000);

    afterAll(async () => {
      await processes.end();
      await backing?.drop();
      await redis?.[Symbol.asyncDispose]();
    });

    it('has cost running tasks, which are FAILED as interrupted', async () => {
      await expect
        .poll(async () => (await get(running)).status.state, { timeout: 10_000 })
        .toBe('TASK_STATE_FAILED');
      expect(JSON.stringify((await get(running)).status.message)).toContain('interrupted');
    });

    it('ends their streams', async () => {
      expect(await stream).toBeInstanceOf(Array);
    });

    it('leaves finished tasks whole', async () => {
      expect(await get(finished)).toMatchObject({
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ parts: [{ text: 'Hello, quick' }] }],
      });
    });

    it('lets tasks go on that wait for their caller', async () => {
      const task = await send('finish', { message: { taskId: parked } });
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    });
  },
);

describe.skipIf(!hasRedisServer)(
  'A Redis that was restarted and persists each write (needs the program redis-server)',
  () => {
    const processes = new Processes();
    afterAll(() => processes.end());

    it('has cost nothing: what ran meanwhile waits and goes on, in the stream that was open', async () => {
      await using redis = await OwnRedis.start('--appendonly', 'yes', '--appendfsync', 'always');
      const backing = await createBacking({ STORE: 'sqlite', QUEUE: 'memory' });
      const server = await processes.start({ ...backing.env, QUEUE: 'redis', REDIS_URL: redis.url });
      const texts: string[] = [];
      let state = '';
      for await (const { data } of sse(await rpcStream(server.base, 'SendStreamingMessage', M('slow:15')))) {
        const { artifactUpdate, statusUpdate } = data?.result ?? {};
        if (artifactUpdate) texts.push(artifactUpdate.artifact.parts[0].text);
        if (statusUpdate) state = statusUpdate.status.state;
        if (texts.length !== 3) continue;
        await redis.stop();
        await sleep(1_000);
        await redis.start();
      }
      expect(texts).toEqual(Array.from({ length: 15 }, (_, i) => `c${i}`));
      expect(state).toBe('TASK_STATE_COMPLETED');
      await backing.drop();
    }, 60_000);
  },
);

async function collect(frames: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const frame of frames) all.push(frame);
  return all;
}
