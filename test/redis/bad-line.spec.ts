import { setTimeout as sleep } from 'node:timers/promises';
import { RedisConnections, RedisQueueManager } from 'nest-a2a/redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { QueueManager } from '../../lib/interfaces/queue-manager.js';
import {
  cancelCommand,
  chunkEvent,
  messageCommand,
  originOf,
  statusEvent,
  taskEvent,
  textOf,
  unique,
} from '../contracts/samples.js';
import { pseudoRandom } from '../contracts/with-faults.js';
import { describeWithServer, redisUrl } from '../support/servers.js';
import { BadLine } from './bad-line.js';
import { readUntilClosed, twoManagers, type TwoManagers } from './redis-host.js';

const A = { holder: 'a', ttlMs: 60_000 };

describeWithServer('RedisQueueManager over a bad line', 'redis', () => {
  let line: BadLine;
  let host: TwoManagers;
  let queue: QueueManager;
  let id: string;

  beforeEach(async () => {
    line = await BadLine.to(redisUrl());
    host = await twoManagers({ url: line.url });
    queue = host.queue;
    id = unique('task');
  });

  afterEach(async () => {
    await host.close();
    await line[Symbol.asyncDispose]();
  });

  it('neither loses nor repeats an event for any of 20 readers while connections are cut', async () => {
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    const readers = Array.from({ length: 20 }, (_, i) => readUntilClosed(i % 2 ? queue : host.other, id));
    const random = pseudoRandom(7, 100);
    const numbers: number[] = [];
    for (let i = 0; i < 2_000; i++) {
      const appended = queue.append(lease, [chunkEvent(id, `${i}`)]);
      const chance = random();
      if (chance < 1) setImmediate(() => line.cut());
      else if (chance < 3) line.loseAnswerTo(':head');
      numbers.push(await appended);
    }
    await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
    const [first, ...others] = await Promise.all(readers);
    const texts = first!.map(({ event }) => textOf(event)).filter((text) => text !== undefined);
    expect(texts).toEqual(Array.from({ length: 2_000 }, (_, i) => `${i}`));
    expect(first!.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 2_002 }, (_, i) => i + 1));
    expect(numbers).toEqual(Array.from({ length: 2_000 }, (_, i) => i + 2));
    for (const other of others) expect(other).toEqual(first);
    expect(line.cuts).toBeGreaterThan(50);
  }, 60_000);

  it('carries out each of several commands and appends on their way once', async () => {
    const lease = (await queue.create(id, originOf(), messageCommand('first'), A))!;
    line.loseAnswerTo(':head');
    const [heads, numbers] = await Promise.all([
      Promise.all(Array.from({ length: 50 }, (_, i) => queue.appendCommand(id, messageCommand(`${i}`)))),
      Promise.all(Array.from({ length: 50 }, (_, i) => queue.append(lease, [chunkEvent(id, `${i}`)]))),
    ]);
    const all = [...heads.map(({ sequence }) => sequence), ...numbers].toSorted((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: 100 }, (_, i) => i + 2));
    expect((await queue.head(id))!.sequence).toBe(101);
    expect(line.cuts).toBeGreaterThan(0);
  });

  it.each<[name: string, (lose: () => void) => Promise<unknown>, answer: unknown]>([
    [
      'create',
      async (lose) => {
        lose();
        const lease = await queue.create(id, originOf(), messageCommand('first'), A);
        return [lease?.token, (await queue.head(id))!.sequence];
      },
      [1, 1],
    ],
    [
      'appendCommand',
      async (lose) => {
        await queue.create(id, originOf(), messageCommand('first'), A);
        lose();
        const { sequence } = await queue.appendCommand(id, cancelCommand());
        return [sequence, (await queue.head(id))!.sequence];
      },
      [2, 2],
    ],
    [
      'append that closes',
      async (lose) => {
        const lease = await queue.create(id, originOf(), messageCommand('first'), A);
        lose();
        const end = [taskEvent(id), statusEvent(id, 'TASK_STATE_COMPLETED')];
        return [await queue.append(lease!, end, { close: true }), (await queue.head(id))!.sequence];
      },
      [3, 3],
    ],
    [
      'acquire',
      async (lose) => {
        await queue.create(id, originOf(), messageCommand('first'));
        lose();
        return queue.acquire(id, A).then((lease) => [lease?.token, lease?.found]);
      },
      [1, 'queued'],
    ],
    [
      'take',
      async (lose) => {
        const lease = await queue.create(id, originOf(), messageCommand('first'), A);
        lose();
        return queue.take(lease!, 1);
      },
      1,
    ],
    [
      'release',
      async (lose) => {
        const lease = await queue.create(id, originOf(), messageCommand('first'), A);
        lose();
        return [await queue.release(lease!, 'parked', 1), (await queue.head(id))!.runState];
      },
      [true, 'parked'],
    ],
    [
      'restore',
      async (lose) => {
        lose();
        return (await queue.restore(id, originOf(), { sequence: 7, token: 3 }, A))?.token;
      },
      4,
    ],
    [
      'withdraw',
      async (lose) => {
        await queue.create(id, originOf(), messageCommand('first'));
        lose();
        return [await queue.withdraw(id), await queue.head(id)];
      },
      [true, undefined],
    ],
  ])('answers a %s whose answer was lost as the first time', async (_name, act, answer) => {
    // Once before, so that Redis knows all scripts and the answer that is lost is that of the script.
    await act(() => {});
    id = unique('task');
    const before = line.cuts;
    expect(await act(() => line.loseAnswerTo(':head'))).toEqual(answer);
    expect(line.cuts).toBe(before + 1);
  });

  it('wakes watchers when the connection that wakes is new', async () => {
    await queue.create(id, originOf(), messageCommand('first'));
    let calls = 0;
    const unwatch = host.other.watch(id, () => (calls += 1));
    await expect.poll(() => calls).toBe(1);
    line.cut();
    await expect.poll(() => calls, { timeout: 5_000 }).toBe(2);
    await queue.appendCommand(id, cancelCommand());
    await expect.poll(() => calls).toBe(3);
    unwatch();
  });
});

describeWithServer('RedisConnections over a bad line', 'redis', () => {
  it('lets calls fail in a bounded time while Redis is gone or silent, and goes on when it is back', async () => {
    await using line = await BadLine.to(redisUrl());
    const connections = await RedisConnections.open({
      url: line.url,
      commandTimeoutMs: 300,
      keyPrefix: unique('p'),
    });
    const queue = new RedisQueueManager(connections);
    line.block(true);
    await expect(queue.head('task')).rejects.toThrow('Redis did not answer within 300 ms');
    line.block(false);
    await expect.poll(() => queue.head('task').catch(String), { timeout: 5_000 }).toBeUndefined();
    await line[Symbol.asyncDispose]();
    await sleep(0);
    await expect(queue.read('task', 0)).rejects.toThrow('Redis did not answer within 300 ms');
    await connections.close();
    await expect(queue.head('task')).rejects.toThrow('The connection to Redis was closed');
  });

  it('does not start without Redis, and says where it looked and why it failed', async () => {
    const line = await BadLine.to(redisUrl());
    const { url, port } = line;
    await line[Symbol.asyncDispose]();
    const opening = RedisConnections.open({ url, connectTimeoutMs: 200 });
    await expect(opening).rejects.toThrow(
      new RegExp(`Redis at 127.0.0.1:${port} cannot be used.*ECONNREFUSED`),
    );
  });
});
