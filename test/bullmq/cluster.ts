import type { DynamicModule, Type } from '@nestjs/common';
import { Queue } from 'bullmq';
import { expect } from 'vitest';
import { A2ABullMqModule } from '../../lib/bullmq/bullmq.module.js';
import { DEFAULT_QUEUE, type A2ABullMqOptions } from '../../lib/bullmq/bullmq-options.js';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import { A2ARedisModule } from '../../lib/redis/redis.module.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { CountingQueueManager, startAgent, type AgentHost } from '../execution/agent-host.js';
import { removeKeys } from '../support/redis-keys.js';
import { redisUrl, uniqueName } from '../support/servers.js';

/** Where the logs of a cluster are. */
export type Logs = 'memory' | 'redis';

/** Applications over one BullMQ queue, one store in memory, and one set of logs, as if each were a process. */
export class Cluster implements AsyncDisposable {
  readonly store = new MemoryTaskStore();
  readonly prefix = uniqueName('bullmq');
  /** The logs, where they are in memory. */
  readonly queue = new CountingQueueManager();
  /** The jobs as an operator sees them. */
  readonly jobs = new Queue(DEFAULT_QUEUE, { connection: { url: redisUrl() }, prefix: this.prefix });
  readonly #hosts = new Set<AgentHost>();

  constructor(
    private readonly agent: Type,
    private readonly options: A2AModuleOptions = {},
    private readonly logs: Logs = 'memory',
  ) {}

  /** Starts an application. What it is given goes before what all have. */
  async start(bullmq: A2ABullMqOptions, options: A2AModuleOptions = {}): Promise<AgentHost> {
    const { queue, store, prefix, logs } = this;
    const modules: DynamicModule[] = [A2ABullMqModule.forRoot({ url: redisUrl(), prefix, ...bullmq })];
    if (logs === 'redis')
      modules.push(A2ARedisModule.forRoot({ url: redisUrl(), keyPrefix: `${prefix}-logs` }));
    const all = {
      ...this.options,
      ...(logs === 'redis' && { queueManager: undefined }),
      ...options,
      execution: { ...this.options.execution, ...options.execution },
    };
    const host = await startAgent(this.agent, all, { queue, store }, modules);
    this.#hosts.add(host);
    return host;
  }

  /** Jobs that wait for a worker. */
  waiting(): Promise<number> {
    return this.jobs.getWaitingCount();
  }

  /** Ends all, and finds what they have forgotten. */
  async [Symbol.asyncDispose](): Promise<void> {
    const hosts = [...this.#hosts];
    await Promise.all(hosts.map((host) => host.shutDown()));
    await Promise.all(hosts.map((host) => host.close()));
    await this.jobs.close();
    await removeKeys(this.prefix);
    expect(this.queue.watchers).toBe(0);
  }
}
