import type { DynamicModule, Type } from '@nestjs/common';
import { Queue } from 'bullmq';
import { expect } from 'vitest';
import { A2ABullMqModule } from '../../lib/bullmq/bullmq.module.js';
import type { A2ABullMqOptions } from '../../lib/bullmq/bullmq-options.js';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { CountingQueueManager, startAgent, type AgentHost } from '../execution/agent-host.js';
import { redisUrl, uniqueName } from '../support/servers.js';

export const QUEUE = 'a2a-runs';

/** Applications over one log and one store in memory and one BullMQ queue, as if each were a process. */
export class Cluster implements AsyncDisposable {
  readonly queue = new CountingQueueManager();
  readonly store = new MemoryTaskStore();
  readonly prefix = uniqueName('bullmq');
  /** The queue as an operator sees it. */
  readonly jobs = new Queue(QUEUE, { connection: { url: redisUrl() }, prefix: this.prefix });
  readonly #hosts = new Set<AgentHost>();

  constructor(
    private readonly agent: Type,
    private readonly options: A2AModuleOptions = {},
  ) {}

  async start(
    bullmq: A2ABullMqOptions,
    options: A2AModuleOptions = {},
    others: readonly DynamicModule[] = [],
  ): Promise<AgentHost> {
    const { queue, store, prefix } = this;
    const module = A2ABullMqModule.forRoot({ url: redisUrl(), prefix, ...bullmq });
    const execution = { ...this.options.execution, ...options.execution };
    const host = await startAgent(this.agent, { ...this.options, ...options, execution }, { queue, store }, [
      module,
      ...others,
    ]);
    this.#hosts.add(host);
    return host;
  }

  /** Ends one of them before the others. */
  async stop(host: AgentHost): Promise<void> {
    this.#hosts.delete(host);
    await host.close();
  }

  /** Jobs that wait for a worker. */
  waiting(): Promise<number> {
    return this.jobs.getWaitingCount();
  }

  /** Ends all, and finds what they have forgotten. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#hosts].map((host) => host.close()));
    await this.jobs.obliterate({ force: true });
    await this.jobs.close();
    expect(this.queue.watchers).toBe(0);
  }
}
