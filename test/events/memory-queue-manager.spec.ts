import { describe, expect, it } from 'vitest';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { describeQueueManager } from '../contracts/describe-queue-manager.js';
import { messageCommand, originOf, taskEvent } from '../contracts/samples.js';
import { pseudoRandom, withFaults } from '../contracts/with-faults.js';

describeQueueManager('memory', () => ({ queue: new MemoryQueueManager() }));

describeQueueManager('memory over a slow line', () => {
  const random = pseudoRandom(1, 3);
  const queue = new MemoryQueueManager();
  return { queue: withFaults(queue, { latency: random }), other: queue };
});

describe('MemoryQueueManager', () => {
  it('lets a holder that was only slow go on after its lease has expired', async () => {
    const queue = new MemoryQueueManager();
    const lease = await queue.create('task', originOf(), messageCommand('first'), { holder: 'a', ttlMs: 0 });
    expect((await queue.head('task'))!.holder).toBeUndefined();
    expect(await queue.append(lease!, [taskEvent('task')])).toBe(2);
    expect(await queue.renew(lease!, 60_000)).toBe(true);
  });

  it('counts what it keeps', async () => {
    const queue = new MemoryQueueManager();
    await queue.create('task', originOf(), messageCommand('first'));
    expect(queue.size).toBe(1);
    await queue.remove('task');
    expect(queue.size).toBe(0);
  });
});
