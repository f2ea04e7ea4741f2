import { expect } from 'vitest';
import type { QueueManager } from '../../lib/interfaces/queue-manager.js';
import { TaskReader } from '../../lib/interfaces/task-reader.js';
import { TaskRunner } from '../../lib/interfaces/task-runner.js';
import { TaskHandle } from '../../lib/interfaces/task-updater.js';
import type { TaskStore } from '../../lib/interfaces/task-store.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import {
  describeTaskRunner,
  type Replica,
  type TaskRunnerFactory,
} from '../contracts/describe-task-runner.js';
import { pseudoRandom, withFaults, type Faults } from '../contracts/with-faults.js';
import { CountingQueueManager, plainAgent, startAgent } from './agent-host.js';

/** Two applications over one log and one store, each over its own line. */
function replicas(faults: () => Faults): TaskRunnerFactory {
  return async (agent, execution) => {
    const queue = new CountingQueueManager();
    const store = new MemoryTaskStore();
    const start = async (): Promise<{ readonly replica: Replica; close(): Promise<void> }> => {
      const host = await startAgent(plainAgent(agent.execute, agent.cancel), {
        execution,
        queueManager: withFaults<QueueManager>(queue, faults()),
        taskStore: withFaults<TaskStore>(store, faults()),
      });
      const runner = host.module.get(TaskRunner, { strict: false });
      const reader = host.module.get(TaskReader, { strict: false });
      const handle = host.module.get(TaskHandle, { strict: false });
      return { replica: { runner, reader, handle, queue }, close: () => host.close() };
    };
    const [a, b] = [await start(), await start()];
    return {
      replicas: [a.replica, b.replica],
      async close() {
        await Promise.all([a.close(), b.close()]);
        expect(queue.watchers).toBe(0);
      },
    };
  };
}

describeTaskRunner(
  'in this process',
  replicas(() => ({})),
);

describeTaskRunner(
  'in this process, over a slow line',
  replicas(() => ({ latency: pseudoRandom(7, 4) })),
);
