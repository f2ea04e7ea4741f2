import { Redis } from 'ioredis';
import { RedisConnections, RedisQueueManager, type A2ARedisOptions } from 'nest-a2a/redis';
import { unique } from '../contracts/samples.js';
import { redisUrl } from '../support/servers.js';

/** Two managers with connections of their own, as two processes have them, under a prefix that nobody else uses. */
export async function twoManagers(options: A2ARedisOptions = {}) {
  const given: A2ARedisOptions = { url: redisUrl(), keyPrefix: unique('a2a-test'), ...options };
  const [mine, others] = await Promise.all([RedisConnections.open(given), RedisConnections.open(given)]);
  return {
    queue: new RedisQueueManager(mine),
    other: new RedisQueueManager(others),
    close: async () => {
      await removeKeys(given.keyPrefix!);
      await Promise.all([mine.close(), others.close()]);
    },
  };
}

export async function keysOf(prefix: string, client: Redis): Promise<string[]> {
  const found: string[] = [];
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 }))
    found.push(...(keys as string[]));
  return found;
}

async function removeKeys(prefix: string): Promise<void> {
  const client = new Redis(redisUrl());
  const keys = await keysOf(prefix, client);
  for (let i = 0; i < keys.length; i += 500) await client.unlink(...keys.slice(i, i + 500));
  await client.quit();
}
