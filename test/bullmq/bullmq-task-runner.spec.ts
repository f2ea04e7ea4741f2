import type { BullMqRole } from '../../lib/bullmq/bullmq-options.js';
import { QueueManager } from '../../lib/interfaces/queue-manager.js';
import { TaskReader } from '../../lib/interfaces/task-reader.js';
import { TaskRunner } from '../../lib/interfaces/task-runner.js';
import type { TaskStore } from '../../lib/interfaces/task-store.js';
import { TaskHandle } from '../../lib/interfaces/task-updater.js';
import {
  describeTaskRunner,
  type Replica,
  type TaskRunnerFactory,
} from '../contracts/describe-task-runner.js';
import { pseudoRandom, withFaults, type Faults } from '../contracts/with-faults.js';
import { plainAgent, type AgentHost } from '../execution/agent-host.js';
import { describeWithServer } from '../support/servers.js';
import { Cluster, type Logs } from './cluster.js';

function replicaOf({ module }: AgentHost): Replica {
  return {
    runner: module.get(TaskRunner, { strict: false }),
    reader: module.get(TaskReader, { strict: false }),
    handle: module.get(TaskHandle, { strict: false }),
    queue: module.get<QueueManager>(QueueManager, { strict: false }),
  };
}

/** Two applications of these roles, of which one runs executors. */
function replicas(roles: readonly [BullMqRole, BullMqRole], logs: Logs, faults?: Faults): TaskRunnerFactory {
  return async ({ execute, cancel }, execution) => {
    const cluster = new Cluster(plainAgent(execute, cancel), { execution }, logs);
    const lines = faults && {
      queueManager: withFaults<QueueManager>(cluster.queue, faults),
      taskStore: withFaults<TaskStore>(cluster.store, faults),
    };
    const a = replicaOf(await cluster.start({ role: roles[0] }, lines));
    const b = replicaOf(await cluster.start({ role: roles[1] }, lines));
    return {
      replicas: [a, b],
      worker: roles[0] === 'web' ? b : a,
      close: () => cluster[Symbol.asyncDispose](),
    };
  };
}

describeWithServer('BullMQ', 'redis', () => {
  describeTaskRunner(
    'a process that does both, beside one that only accepts',
    replicas(['all', 'web'], 'memory'),
  );

  describeTaskRunner('a web process and a worker, with logs in Redis', replicas(['web', 'worker'], 'redis'));

  describeTaskRunner(
    'a web process and a worker, over a slow line',
    replicas(['web', 'worker'], 'memory', { latency: pseudoRandom(7, 4) }),
  );
});
