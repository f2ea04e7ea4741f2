import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { IdGenerator } from '../interfaces/id-generator.js';
import { A2A_OPTIONS, type ExecutionOptions, type ResolvedOptions } from '../interfaces/module-options.js';
import {
  QueueManager,
  type CancelCommand,
  type Lease,
  type LeaseRequest,
  type MessageCommand,
  type TaskOrigin,
} from '../interfaces/queue-manager.js';
import { TaskReader } from '../interfaces/task-reader.js';
import { ActiveTask } from './active-task.js';
import { ActiveTasks } from './active-tasks.js';
import { AgentInvoker } from './agent-invoker.js';
import type { RunServices } from './run-services.js';
import { Retention } from './retention.js';
import { TaskWriters } from './task-writers.js';

/** Where tasks are worked on: it takes their leases, keeps them while executors run, and gives them back. One per process. */
@Injectable()
export class Workshop implements OnModuleInit, BeforeApplicationShutdown {
  readonly #logger = new Logger('A2A');
  readonly #holder = randomUUID();
  readonly #active = new ActiveTasks();
  readonly #options: Required<ExecutionOptions>;
  readonly #services: RunServices;
  #accepting = true;
  #draining: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly queue: QueueManager,
    private readonly writers: TaskWriters,
    private readonly retention: Retention,
    invoker: AgentInvoker,
    reader: TaskReader,
    ids: IdGenerator,
    @Inject(A2A_OPTIONS) options: ResolvedOptions,
  ) {
    this.#options = options.execution;
    this.#services = { invoker, reader, queue, ids, options: options.execution };
  }

  /** False once the process drains. */
  get accepting(): boolean {
    return this.#accepting;
  }

  onModuleInit(): void {
    this.#renewal = setInterval(
      () => this.#active.renew(this.queue, this.#options.leaseTtlMs),
      this.#options.leaseRenewMs,
    );
    this.#renewal.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
    clearInterval(this.#renewal);
  }

  /** Accepts nothing more; `drain()` then ends what runs. */
  close(): void {
    this.#accepting = false;
  }

  /** What the leases of this process are asked for with. */
  get request(): LeaseRequest {
    return { holder: this.#holder, ttlMs: this.#options.leaseTtlMs };
  }

  /** Begins to work on a log that was created with its lease and holds its first command only. */
  begin(lease: Lease, origin: TaskOrigin, command: MessageCommand): void {
    const active = new ActiveTask(lease, origin, this.writers.begin(lease, origin), this.#services);
    active.accept(1, command);
    void this.#launch(active);
  }

  /**
   * Takes the lease and works through what waits; undefined when another holds it. A canceller brings its command along: in the log of
   * a detached task it counts as taken, as messages do.
   */
  async resume(taskId: string, { takeOver, command }: Resumption = {}): Promise<Resumed | undefined> {
    const lease = await this.queue.acquire(taskId, this.request, takeOver);
    if (!lease) return undefined;
    const { writer, origin, untaken } = await this.writers.open(lease).catch(async (error: unknown) => {
      // What waits goes on waiting, for whoever comes next.
      await this.queue.release(lease, lease.found === 'running' ? 'queued' : lease.found, Infinity);
      throw error;
    });
    const active = new ActiveTask(lease, origin, writer, this.#services);
    for (const { sequence, command } of untaken) active.accept(sequence, command);
    if (command) active.accept(0, command);
    const work = this.#launch(active);
    // What came between reading the log and watching it.
    writer.catchUp().catch(() => active.lose());
    return { work };
  }

  /** Resolves when no task is left here: running ones get the drain time, the rest are settled. Idempotent. */
  drain(): Promise<void> {
    this.#accepting = false;
    return (this.#draining ??= this.#active.drain(this.#options.drainMs));
  }

  /** The run lives on its own, whatever becomes of the call that started it. */
  #launch(active: ActiveTask): Promise<void> {
    const work = active.work();
    this.#active.add(
      active,
      work.then(
        () => this.retention.noteFinished(),
        (error: unknown) => this.#logger.error(`The work on task ${active.lease.taskId} stopped`, error),
      ),
    );
    return work;
  }
}

export interface Resumption {
  readonly takeOver?: boolean;
  readonly command?: CancelCommand;
}

/** In an object, because an async function would wait for the work itself. */
export interface Resumed {
  readonly work: Promise<void>;
}
