import { expect } from 'vitest';
import { A2ABullMqModule } from '../../lib/bullmq/bullmq.module.js';
import type { BullMqRole } from '../../lib/bullmq/bullmq-options.js';
import type { QueueManager } from '../../lib/interfaces/queue-manager.js';
import { TaskReader } from '../../lib/interfaces/task-reader.js';
import { TaskRunner } from '../../lib/interfaces/task-runner.js';
import type { TaskStore } from '../../lib/interfaces/task-store.js';
import { TaskHandle } from '../../lib/interfaces/task-updater.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import {
  describeTaskRunner,
  type Replica,
  type TaskRunnerFactory,
} from '../contracts/describe-task-runner.js';
import { pseudoRandom, withFaults, type Faults } from '../contracts/with-faults.js';
import { CountingQueueManager, plainAgent, startAgent } from '../execution/agent-host.js';
import { describeWithServer, redisUrl, uniqueName } from '../support/servers.js';

/** Two applications of these roles over one log in memory, one store and BullMQ. */
function replicas(roles: readonly [BullMqRole, BullMqRole], faults: () => Faults): TaskRunnerFactory {
  return async (agent, execution) => {
    const queue = new CountingQueueManager();
    const store = new MemoryTaskStore();
    const prefix = uniqueName('bullmq');
    const start = async (
      role: BullMqRole,
    ): Promise<{ readonly replica: Replica; close(): Promise<void> }> => {
      const options = {
        execution,
        queueManager: withFaults<QueueManager>(queue, faults()),
        taskStore: withFaults<TaskStore>(store, faults()),
      };
      const module = A2ABullMqModule.forRoot({ role, url: redisUrl(), prefix });
      const host = await startAgent(plainAgent(agent.execute, agent.cancel), options, {}, [module]);
      const runner = host.module.get(TaskRunner, { strict: false });
      const reader = host.module.get(TaskReader, { strict: false });
      const handle = host.module.get(TaskHandle, { strict: false });
      return { replica: { runner, reader, handle, queue }, close: () => host.close() };
    };
    const [a, b] = [await start(roles[0]), await start(roles[1])];
    return {
      replicas: [a.replica, b.replica],
      worker: roles[0] === 'web' ? b.replica : a.replica,
      async close() {
        await Promise.all([a.close(), b.close()]);
        expect(queue.watchers).toBe(0);
      },
    };
  };
}

describeWithServer('BullMQ', 'redis', () => {
  describeTaskRunner(
    'a process that does both, beside one that only accepts',
    replicas(['all', 'web'], () => ({})),
  );

  describeTaskRunner(
    'a web process and a worker, over a slow line',
    replicas(['web', 'worker'], () => ({ latency: pseudoRandom(7, 4) })),
  );
});
