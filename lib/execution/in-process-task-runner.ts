import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { UnavailableError } from '../protocol/errors.js';
import { IdGenerator } from '../interfaces/id-generator.js';
import { A2A_OPTIONS, type ExecutionOptions, type ResolvedOptions } from '../interfaces/module-options.js';
import {
  QueueManager,
  type CancelCommand,
  type LeaseRequest,
  type MessageCommand,
  type TaskOrigin,
} from '../interfaces/queue-manager.js';
import { TaskReader } from '../interfaces/task-reader.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { ActiveTask } from './active-task.js';
import { ActiveTasks } from './active-tasks.js';
import { AgentInvoker } from './agent-invoker.js';
import { LogWatch } from './log-watch.js';
import type { RunServices } from './run-services.js';
import { Retention } from './retention.js';
import { TaskWriters } from './task-writers.js';

/** How much longer than the grace period a canceller waits for the lease holder, in ms. */
const HOLDER_EXTRA_MS = 1_000;

/** Runs executors in this process. */
@Injectable()
export class InProcessTaskRunner
  extends TaskRunner
  implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown
{
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
    super();
    this.#options = options.execution;
    this.#services = { invoker, reader, queue, ids, options: options.execution };
  }

  override get accepting(): boolean {
    return this.#accepting;
  }

  onModuleInit(): void {
    this.#renewal = setInterval(
      () => this.#active.renew(this.queue, this.#options.leaseTtlMs),
      this.#options.leaseRenewMs,
    );
    this.#renewal.unref();
  }

  onModuleDestroy(): void {
    this.#accepting = false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
    clearInterval(this.#renewal);
  }

  override async start(taskId: string, origin: TaskOrigin, command: MessageCommand): Promise<number> {
    this.#refuseWhenDraining();
    const lease = await this.queue.create(taskId, origin, command, this.#request);
    const active = new ActiveTask(lease!, origin, this.writers.begin(lease!, origin), this.#services);
    active.accept(1, command);
    this.#launch(active);
    return 1;
  }

  override async send(taskId: string, command: MessageCommand): Promise<number> {
    this.#refuseWhenDraining();
    const head = await this.queue.appendCommand(taskId, command, this.#options.maxPendingMessages);
    if (!head.holder && head.runState !== 'detached') await this.poke(taskId);
    return head.sequence;
  }

  override async poke(taskId: string): Promise<void> {
    await this.#resume(taskId);
  }

  override async cancel(taskId: string, command: CancelCommand): Promise<void> {
    const deadline = Date.now() + this.#options.cancelGraceMs + HOLDER_EXTRA_MS;
    const watch = new LogWatch(this.queue, taskId);
    try {
      await this.queue.appendCommand(taskId, command);
      for (;;) {
        const head = await this.queue.head(taskId);
        if (!head || head.closed) return;
        const late = Date.now() >= deadline;
        const resumed =
          !head.holder || late ? await this.#resume(taskId, { takeOver: late, command }) : undefined;
        // Its own work is waited for: to look again meanwhile would be to take the lease from itself.
        // If that fails, the log says what to do next.
        await (resumed?.work.catch(() => {}) ?? watch.next(late ? HOLDER_EXTRA_MS : deadline - Date.now()));
      }
    } finally {
      watch.dispose();
    }
  }

  override drain(): Promise<void> {
    this.#accepting = false;
    return (this.#draining ??= this.#active.drain(this.#options.drainMs));
  }

  get #request(): LeaseRequest {
    return { holder: this.#holder, ttlMs: this.#options.leaseTtlMs };
  }

  #refuseWhenDraining(): void {
    if (this.#accepting) return;
    throw new UnavailableError('The agent is shutting down; try again later', { retryAfterSeconds: 5 });
  }

  /**
   * Takes the lease and works through what waits; undefined when another holds it. A canceller brings its command along: in the log of
   * a detached task it counts as taken, as messages do.
   */
  async #resume(taskId: string, { takeOver, command }: Resumption = {}): Promise<Resumed | undefined> {
    const lease = await this.queue.acquire(taskId, this.#request, takeOver);
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

interface Resumption {
  readonly takeOver?: boolean;
  readonly command?: CancelCommand;
}

/** In an object, because an async function would wait for the work itself. */
interface Resumed {
  readonly work: Promise<void>;
}
