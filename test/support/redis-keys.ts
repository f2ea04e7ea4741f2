import { Redis } from 'ioredis';
import { look } from './secrets/leaks.js';
import { watchRedis } from './secrets/watch-redis.js';
import { redisUrl } from './servers.js';

watchRedis();

/** The keys that begin so. */
export async function keysOf(prefix: string, client: Redis): Promise<string[]> {
  const found: string[] = [];
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 }))
    found.push(...(keys as string[]));
  return found;
}

/** Removes them, when it has looked for secrets in what they hold, whichever process wrote it. */
export async function removeKeys(prefix: string): Promise<void> {
  const client = new Redis(redisUrl());
  try {
    const remove = async (key: string): Promise<void> => {
      look('store', JSON.stringify([key, await valueOf(key, client)]));
      await client.unlink(key);
    };
    await Promise.all((await keysOf(prefix, client)).map(remove));
  } finally {
    await client.quit();
  }
}

async function valueOf(key: string, client: Redis): Promise<unknown> {
  const read: Readonly<Record<string, () => Promise<unknown>>> = {
    string: () => client.get(key),
    hash: () => client.hgetall(key),
    list: () => client.lrange(key, 0, -1),
    set: () => client.smembers(key),
    zset: () => client.zrange(key, 0, -1),
    stream: () => client.xrange(key, '-', '+'),
    // It has expired meanwhile.
    none: async () => null,
  };
  return read[await client.type(key)]!();
}
