import { Logger } from '@nestjs/common';
import { Cluster } from 'ioredis';
import { RedisConnections, RedisQueueManager } from 'nest-a2a/redis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LeaseLostError, TaskLogNotFoundError } from '../../lib/interfaces/queue-manager.js';
import { describeQueueManager } from '../contracts/describe-queue-manager.js';
import {
  cancelCommand,
  messageCommand,
  originOf,
  statusEvent,
  taskEvent,
  unique,
} from '../contracts/samples.js';
import { hasRedisServer, OwnRedis, startCluster } from './own-redis.js';
import { readUntilClosed } from './redis-host.js';

const A = { holder: 'a', ttlMs: 60_000 };

describe.skipIf(!hasRedisServer)('A Redis of its own (needs the program redis-server)', () => {
  it('that comes back empty has lost its logs: writers and senders hear of it, and the task can be restored', async () => {
    await using redis = await OwnRedis.start();
    const connections = await RedisConnections.open({ url: redis.url });
    const queue = new RedisQueueManager(connections);
    const id = unique('task');
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    await queue.append(lease, [taskEvent(id)]);
    let woken = 0;
    const unwatch = queue.watch(id, () => (woken += 1));
    await expect.poll(() => woken).toBe(1);
    await redis.stop();
    const appended = queue.append(lease, [taskEvent(id)]);
    appended.catch(() => {});
    await redis.start();
    await expect(appended).rejects.toThrow(LeaseLostError);
    await expect(queue.take(lease, 1)).rejects.toThrow(LeaseLostError);
    expect(await queue.renew(lease, 1_000)).toBe(false);
    await expect(queue.appendCommand(id, cancelCommand())).rejects.toThrow(TaskLogNotFoundError);
    await expect.poll(() => woken, { timeout: 5_000 }).toBeGreaterThan(1);
    expect([await queue.head(id), await queue.read(id, 0)]).toEqual([undefined, []]);
    const restored = (await queue.restore(id, originOf(), { sequence: 2, token: 1 }, A))!;
    const reader = readUntilClosed(queue, id);
    expect(await queue.append(restored, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true })).toBe(3);
    expect((await reader).map(({ sequence }) => sequence)).toEqual([3]);
    unwatch();
    await connections.close();
  });

  it('that persists keeps them over a restart, and no append is lost or doubled', async () => {
    await using redis = await OwnRedis.start('--appendonly', 'yes', '--appendfsync', 'always');
    const connections = await RedisConnections.open({ url: redis.url });
    const queue = new RedisQueueManager(connections);
    const id = unique('task');
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    const reader = readUntilClosed(queue, id);
    for (let i = 0; i < 60; i++) {
      const appended = queue.append(lease, [taskEvent(id)]);
      if (i % 20 === 10) {
        await redis.stop();
        await redis.start();
      }
      expect(await appended).toBe(i + 2);
    }
    await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
    expect((await reader).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 62 }, (_, i) => i + 1),
    );
    await connections.close();
  });

  it('that evicts keys is warned of at boot', async () => {
    await using redis = await OwnRedis.start('--maxmemory-policy', 'allkeys-lru');
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const connections = await RedisConnections.open({ url: redis.url });
    expect(warn.mock.calls.flat().join()).toContain('maxmemory-policy allkeys-lru');
    warn.mockRestore();
    await connections.close();
  });
});

describe.skipIf(!hasRedisServer)('A Redis cluster (needs the program redis-server)', () => {
  let nodes: readonly OwnRedis[] = [];
  beforeAll(async () => {
    nodes = await startCluster();
  });
  afterAll(async () => {
    for (const node of nodes) await node[Symbol.asyncDispose]();
  });

  const open = async (keyPrefix: string) => {
    const client = new Cluster(nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
    const connections = await RedisConnections.open({ client, keyPrefix });
    const close = async () => {
      await connections.close();
      await client.quit();
    };
    return { queue: new RedisQueueManager(connections), close };
  };

  describeQueueManager('Redis cluster of three', async () => {
    const prefix = unique('a2a-test');
    const [mine, others] = await Promise.all([open(prefix), open(prefix)]);
    return {
      queue: mine.queue,
      other: others.queue,
      close: async () => void (await Promise.all([mine.close(), others.close()])),
    };
  });

  it('spreads tasks over its nodes, and wakes from any of them', async () => {
    const { queue, close } = await open(unique('a2a-test'));
    const ids = Array.from({ length: 30 }, () => unique('task'));
    const readers = ids.map((id) => readUntilClosed(queue, id));
    for (const id of ids) {
      const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
      await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
    }
    for (const records of await Promise.all(readers)) expect(records).toHaveLength(2);
    await close();
  });
});
