import type { Type } from '@nestjs/common';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import type { QueueManager } from '../../lib/interfaces/queue-manager.js';
import type { TaskStore } from '../../lib/interfaces/task-store.js';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { withFaults } from '../contracts/with-faults.js';
import { CountingQueueManager, startAgent, type AgentHost } from '../execution/agent-host.js';

export const IN_TIME = { timeout: 15_000, interval: 10 };

/** Logs that outlive the process, as far as the library can tell. */
export class SharedQueueManager extends CountingQueueManager {
  override get volatile(): boolean {
    return false;
  }
}

/** One process of several over the same logs and snapshots. */
export interface Replica extends AgentHost {
  /** Its lines to log and store are cut at once and for good, as when it is killed; its executors do not learn of it. */
  kill(): void;
}

/** Processes over one memory, each of them an application of its own. */
export class Replicas {
  readonly queue = new SharedQueueManager();
  readonly store = new MemoryTaskStore();
  readonly #running: Replica[] = [];

  async start(agent: Type, options: A2AModuleOptions = {}): Promise<Replica> {
    let killed = false;
    const fail = (): Error | undefined => (killed ? new Error('This process was killed') : undefined);
    const host = await startAgent(agent, {
      queueManager: withFaults<QueueManager>(this.queue, { fail }),
      taskStore: withFaults<TaskStore>(this.store, { fail }),
      ...options,
      execution: {
        leaseTtlMs: 600,
        leaseRenewMs: 100,
        startTimeoutMs: 100,
        drainMs: 50,
        ...options.execution,
      },
      recovery: { sweepMs: 30, lostLogsMs: 0, ...options.recovery },
    });
    const replica = { ...host, kill: () => void (killed = true) };
    this.#running.push(replica);
    return replica;
  }

  /** Waits until the task is held by nobody, and answers how it was left. */
  async runState(id: string): Promise<string> {
    const head = await this.queue.head(id);
    return head?.holder ? 'held' : (head?.runState ?? 'gone');
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((replica) => replica.close()));
  }
}

/** An agent that may run again, or fails, when its process is lost. */
export function agentThat(
  onInterrupted: 'fail' | 'retry' | undefined,
  execute: (context: RequestContext) => Promise<void> | void,
): Type {
  @AgentExecutor({
    name: 'Agent',
    description: 'Does what a test says',
    version: '1.0.0',
    ...(onInterrupted && { onInterrupted }),
  })
  class TestAgent {
    execute(context: RequestContext): Promise<void> | void {
      return execute(context);
    }
  }
  return TestAgent;
}
