import { Redis } from 'ioredis';
import { RedisConnections, RedisQueueManager } from 'nest-a2a/redis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  cancelCommand,
  chunkEvent,
  messageCommand,
  originOf,
  statusEvent,
  taskEvent,
  unique,
} from '../contracts/samples.js';
import { describeWithServer, redisUrl } from '../support/servers.js';
import { keysOf, removeKeys } from '../support/redis-keys.js';

const A = { holder: 'a', ttlMs: 60_000 };
const prefix = unique('a2a-test');
const TTL = { finishedTtlMs: 50_000, activeTtlMs: 900_000 };

describeWithServer('The keys of RedisQueueManager', 'redis', () => {
  let client: Redis;
  let connections: RedisConnections;
  let queue: RedisQueueManager;

  beforeAll(async () => {
    client = new Redis(redisUrl());
    connections = await RedisConnections.open({ client, keyPrefix: prefix, ...TTL });
    queue = new RedisQueueManager(connections);
  });

  afterAll(async () => {
    await connections.close();
    await removeKeys(prefix);
    await client.quit();
  });

  /** Longest time to live of a task's keys, in ms. */
  const ttlOf = async (id: string): Promise<number> => {
    const keys = await keysOf(`${prefix}:{${id}}`, client);
    expect(keys.length).toBeGreaterThanOrEqual(2);
    const ttls = await Promise.all(keys.map((key) => client.pttl(key)));
    expect(Math.min(...ttls)).toBeGreaterThan(0);
    return Math.max(...ttls);
  };

  it('of one script lie in one slot of a cluster, whatever the id', async () => {
    const calls: string[][] = [];
    const record = (_script: unknown, count: number, ...rest: unknown[]) => {
      calls.push(rest.slice(0, count) as string[]);
    };
    const evalsha = client.evalsha.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const spy = vi.spyOn(client, 'evalsha').mockImplementation(((...args: [string, number]) => {
      record(...args);
      return evalsha(...args);
    }) as never);
    for (const id of [
      unique('task'),
      `{a}${unique('task')}`,
      `}{${unique('task')}`,
      `100%{}${unique('t')}`,
    ]) {
      const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
      await queue.take(lease, 1);
      await queue.appendCommand(id, cancelCommand());
      await queue.append(lease, [taskEvent(id)]);
      await queue.renew(lease, 60_000);
      await queue.release(lease, 'parked', 10);
      const second = (await queue.acquire(id, A))!;
      await queue.append(second, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
      expect(await queue.read(id, 0)).toHaveLength(4);
      expect((await queue.head(id))!.sequence).toBe(4);
      await queue.abandoned({ queuedBefore: Date.now(), limit: 10 });
      await queue.prune({ keepClosed: 0 });
      await queue.withdraw(id);
      await queue.restore(id, originOf(), { sequence: 4, token: 2 }, A);
      await queue.remove(id);
      await queue.claim(unique('key'), { taskId: id, digest: 'd' }, 1_000);
    }
    spy.mockRestore();
    expect(calls.length).toBeGreaterThan(60);
    for (const keys of calls) expect(new Set(keys.map(slotTag)).size, keys.join(' ')).toBe(1);
  });

  it('live longer with each write, and no longer than a stream can be resumed once the task has ended', async () => {
    const id = unique('task');
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    for (const key of await keysOf(`${prefix}:{${id}}`, client)) await client.pexpire(key, 10_000);
    await queue.append(lease, [taskEvent(id)]);
    expect(await ttlOf(id)).toBeGreaterThan(TTL.activeTtlMs - 10_000);
    await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
    expect(await ttlOf(id)).toBeLessThanOrEqual(TTL.finishedTtlMs);
    await queue.release(lease, 'ended', 3);
    expect(await ttlOf(id)).toBeLessThanOrEqual(TTL.finishedTtlMs);
    expect(await ttlOf(id)).toBeGreaterThan(TTL.finishedTtlMs - 10_000);
  });

  it('live as long again of a task that is spared', async () => {
    const id = unique('task');
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
    await queue.release(lease, 'ended', 2);
    for (const key of await keysOf(`${prefix}:{${id}}`, client)) await client.pexpire(key, 1_000);
    await queue.prune({ closedBefore: Date.now() + 60_000, spare: async () => [id] });
    expect(await ttlOf(id)).toBeGreaterThan(TTL.finishedTtlMs - 10_000);
    await queue.remove(id);
    await queue.prune({ closedBefore: Date.now() + 60_000, spare: async () => [id] });
    expect(await client.zscore(`${prefix}:{index}:closed`, id)).toBeNull();
  });

  it('leave nothing behind of a task that was pruned, and of the index what somebody needs', async () => {
    const id = unique('task');
    const waits = unique('task');
    await queue.create(waits, originOf(), messageCommand('first'));
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    await expect(queue.create(id, originOf(), messageCommand('first'), A)).rejects.toThrow('already');
    expect(await queue.acquire(id, A)).toBeUndefined();
    await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
    await queue.release(lease, 'ended', 2);
    await queue.prune({ keepClosed: 0 });
    expect(await keysOf(`${prefix}:{${id}}`, client)).toEqual([]);
    const due = await client.zrange(`${prefix}:{index}:due`, 0, -1);
    expect(due.filter((entry) => entry.endsWith(id))).toEqual([]);
    expect(due.filter((entry) => entry.endsWith(waits))).toHaveLength(1);
    expect(await client.zcard(`${prefix}:{index}:closed`)).toBe(0);
    await queue.remove(waits);
  });

  it('of the index are tidied by whoever looks: what a crash left over goes, what it needs stays', async () => {
    const index = `${prefix}:{index}:due`;
    const id = unique('task');
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    // The lease was prolonged, and the entry did not hear of it.
    const [entry = ''] = (await client.zrange(index, 0, -1)).filter((one) => one.endsWith(id));
    await client.zadd(index, 'XX', Date.now() - 100, entry);
    await client.zadd(index, Date.now() - 120_000, `gone.1 ${id}`, Date.now() - 1_000, `young.1 ${id}`);
    await client.zadd(index, Date.now() - 120_000, `gone.2 ${unique('nobody')}`);
    const query = { queuedBefore: Date.now() + 60_000, limit: 100 };
    expect(await queue.abandoned(query)).toEqual([]);
    await expect
      .poll(async () => (await client.zrange(index, 0, -1)).filter((one) => one.startsWith('gone')))
      .toEqual([]);
    expect(await client.zscore(index, `young.1 ${id}`)).not.toBeNull();
    expect(Number(await client.zscore(index, entry))).toBeGreaterThan(Date.now() + 30_000);
    await queue.renew(lease, 1);
    await expect.poll(() => queue.abandoned(query), { timeout: 5_000 }).toEqual([id]);
    await queue.remove(id);
  });

  it('hold large records, of which a page is small', async () => {
    const id = unique('task');
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    const large = chunkEvent(id, 'x'.repeat(10 * 1024 * 1024));
    for (let i = 0; i < 3; i++) await queue.append(lease, [large]);
    const events = Array.from({ length: 20 }, () => chunkEvent(id, 'y'.repeat(50_000)));
    await queue.append(lease, events);
    expect((await queue.read(id, 1, 1))[0]!.event).toEqual(large);
    expect((await queue.read(id, 1)).length).toBeLessThanOrEqual(2);
    expect((await queue.read(id, 4)).length).toBeLessThanOrEqual(10);
    let cursor = 0;
    let read = 0;
    for (let page = await queue.read(id, 0); page.length > 0; page = await queue.read(id, cursor)) {
      read += page.length;
      cursor = page.at(-1)!.sequence;
    }
    expect(read).toBe(24);
    await queue.remove(id);
  });

  it('take thousands of events in one append', async () => {
    const id = unique('task');
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    const events = Array.from({ length: 10_000 }, (_, i) => chunkEvent(id, `${i}`));
    expect(await queue.append(lease, events)).toBe(10_001);
    expect(await queue.read(id, 0, Infinity)).not.toHaveLength(0);
    await queue.remove(id);
  });
});

/** What a cluster hashes of a key: the text between its first `{` and the `}` after, unless it is empty. */
function slotTag(key: string): string {
  const start = key.indexOf('{');
  const end = key.indexOf('}', start + 1);
  return start >= 0 && end > start + 1 ? key.slice(start + 1, end) : key;
}
