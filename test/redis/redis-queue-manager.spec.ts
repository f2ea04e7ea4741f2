import { describeQueueManager } from '../contracts/describe-queue-manager.js';
import { pseudoRandom, withFaults } from '../contracts/with-faults.js';
import { describeWithServer } from '../support/servers.js';
import { twoManagers } from './redis-host.js';

describeWithServer('RedisQueueManager', 'redis', () => {
  describeQueueManager('Redis, of two processes', () => twoManagers());

  describeQueueManager('Redis, over a slow line', async () => {
    const { queue, other, close } = await twoManagers();
    return { queue: withFaults(queue, { latency: pseudoRandom(1, 3) }), other, close };
  });
});
