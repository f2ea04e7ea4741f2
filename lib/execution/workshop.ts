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
import { UrlGuard } from '../interfaces/url-guard.js';
import { TaskReader } from '../interfaces/task-reader.js';
import { ActiveTask } from './active-task.js';
import { ActiveTasks } from './active-tasks.js';
import { AgentInvoker } from './agent-invoker.js';
import { isEnd } from './log-event.js';
import { LostLogs } from './lost-logs.js';
import { RunSlots } from './run-slots.js';
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
  #draining: Promise<readonly string[]> | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly queue: QueueManager,
    private readonly writers: TaskWriters,
    private readonly retention: Retention,
    private readonly lost: LostLogs,
    private readonly slots: RunSlots,
    invoker: AgentInvoker,
    reader: TaskReader,
    ids: IdGenerator,
    urls: UrlGuard,
    @Inject(A2A_OPTIONS) options: ResolvedOptions,
  ) {
    this.#options = options.execution;
    this.#services = {
      invoker,
      reader,
      queue,
      urls,
      ids,
      options: options.execution,
      maxAttempts: options.recovery.maxAttempts,
    };
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

  /** Begins to work on a log that was created with its lease and holds its first command only; `leave` gives the slot of the run back. */
  begin(lease: Lease, origin: TaskOrigin, command: MessageCommand, leave: () => void): void {
    const active = new ActiveTask(lease, origin, this.writers.begin(lease, origin), this.#services);
    active.accept(1, command);
    void this.#launch(active, leave);
  }

  /**
   * Takes the lease and works through what waits; undefined when another holds it, or the process drains. A run that somebody left unfinished
   * is begun anew or makes the task fail, as the agent says. A canceller brings its command along: in the log of a detached task it counts as
   * taken, as messages do.
   */
  async resume(taskId: string, resumption: Resumption = {}): Promise<Resumed | undefined> {
    const { takeOver, command, leaveMessages = false } = resumption;
    if (!this.#accepting && !command) return undefined;
    const lease = await this.queue.acquire(taskId, this.request, takeOver);
    if (!lease) return undefined;
    const { writer, origin, untaken, interrupted } = await this.writers
      .open(lease)
      .catch(async (error: unknown) => {
        // What waits goes on waiting, for whoever comes next.
        await this.queue.release(lease, lease.found === 'running' ? 'queued' : lease.found, Infinity);
        throw error;
      });
    const active = new ActiveTask(lease, origin, writer, this.#services);
    if (interrupted) active.recover(interrupted);
    if (leaveMessages) active.leaveMessages();
    for (const { sequence, command } of untaken) active.accept(sequence, command);
    if (command) active.accept(0, command);
    const work = this.#launch(active, this.slots.enter(origin.owner));
    // What came between reading the log and watching it.
    writer.catchUp().catch(() => active.lose());
    return { work, active };
  }

  /**
   * Settles what its last holder left behind, without running an executor: what it could not save, a cancel that waits, a run that was
   * interrupted. Answers whether messages wait now that somebody should be poked for.
   */
  async settle(taskId: string): Promise<boolean> {
    const resumed = await this.resume(taskId, { leaveMessages: true });
    await resumed?.work;
    return resumed?.active.waits ?? false;
  }

  /** Whether this process works on the task. */
  isActive(taskId: string): boolean {
    return this.#active.has(taskId);
  }

  /**
   * Resolves when no task is left here: running ones get the drain time, the rest are handed over to other processes or settled. Answers the
   * ids of those that were handed over: their messages wait for a run. Idempotent.
   */
  drain(): Promise<readonly string[]> {
    this.#accepting = false;
    return (this.#draining ??= this.#active.drain(this.#options.drainMs));
  }

  /** The run lives on its own, whatever becomes of the call that started it. */
  #launch(active: ActiveTask, leave: () => void): Promise<void> {
    const work = active.work();
    const end = (): Promise<void> | void => {
      leave();
      this.retention.noteFinished();
      if (active.lost) return this.#settleLost(active);
      this.#active.delete(active);
    };
    const stop = (error: unknown): Promise<void> | void => {
      this.#noteStop(active.taskId, error);
      return end();
    };
    this.#active.add(active, work.then(end, stop));
    return work;
  }

  /** That another process has taken a task over is what leases are for; the rest should not happen. */
  #noteStop(taskId: string, error: unknown): void {
    if (isEnd(error)) this.#logger.warn(`The work on task ${taskId} stopped: ${String(error)}`);
    else this.#logger.error(`The work on task ${taskId} stopped`, error);
  }

  /** A lease may be lost with its whole log, and then nobody else would find the task soon. */
  async #settleLost(active: ActiveTask): Promise<void> {
    await this.lost
      .settle(active.taskId)
      .catch((error: unknown) =>
        this.#logger.warn(`Task ${active.taskId} was left as it is: ${String(error)}`),
      );
    this.#active.delete(active);
  }
}

export interface Resumption {
  readonly takeOver?: boolean;
  readonly command?: CancelCommand;
  /** Run no executor. */
  readonly leaveMessages?: boolean;
}

/** In an object, because an async function would wait for the work itself. */
export interface Resumed {
  readonly work: Promise<void>;
  readonly active: ActiveTask;
}
