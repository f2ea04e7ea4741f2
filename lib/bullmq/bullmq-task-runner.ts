import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Queue } from 'bullmq';
import { Canceller } from '../execution/canceller.js';
import { LostLogs } from '../execution/lost-logs.js';
import { TaskWriters } from '../execution/task-writers.js';
import { Workshop } from '../execution/workshop.js';
import { A2A_OPTIONS, type ExecutionOptions, type ResolvedOptions } from '../interfaces/module-options.js';
import {
  QueueManager,
  type CancelCommand,
  type LogHead,
  type MessageCommand,
  type TaskOrigin,
} from '../interfaces/queue-manager.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { shuttingDown } from '../interfaces/shutting-down.js';
import { A2A_BULLMQ_OPTIONS, A2A_RUN_QUEUE, type ResolvedBullMqOptions } from './bullmq-options.js';
import { Pokes, type Poke } from './pokes.js';
import { QueuedTask } from './queued-task.js';
import { RunWorker } from './run-worker.js';
import { StartWatch } from './start-watch.js';

/**
 * Has executors run on workers. What there is to do stands in the task's log; a job only tells a worker to look there. Whoever takes the
 * lease works through the log in its order.
 */
@Injectable()
export class BullMqTaskRunner
  extends TaskRunner
  implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  readonly #logger = new Logger('A2A');
  readonly #options: Required<ExecutionOptions>;
  readonly #pokes: Pokes;
  readonly #worker: RunWorker | undefined;
  /** New tasks that no worker has taken yet. */
  readonly #starts = new Map<string, StartWatch>();
  /** Those of them whose callers are here. */
  readonly #accepted = new Set<StartWatch>();

  constructor(
    private readonly queue: QueueManager,
    private readonly workshop: Workshop,
    private readonly canceller: Canceller,
    private readonly lost: LostLogs,
    private readonly writers: TaskWriters,
    @Inject(A2A_OPTIONS) { execution }: ResolvedOptions,
    @Inject(A2A_BULLMQ_OPTIONS) { role, concurrency }: ResolvedBullMqOptions,
    @Inject(A2A_RUN_QUEUE) runs: Queue<Poke>,
  ) {
    super();
    this.#options = execution;
    this.#pokes = new Pokes(runs);
    if (role !== 'web')
      this.#worker = new RunWorker(runs, workshop, { concurrency, lockMs: execution.leaseTtlMs });
  }

  override get accepting(): boolean {
    return this.workshop.accepting;
  }

  /** Not before: agents are found while modules are initialised. */
  onApplicationBootstrap(): void {
    this.#worker?.run();
  }

  onModuleDestroy(): void {
    this.workshop.close();
    this.#worker?.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#starts.values()].map((start) => start.end()));
    await this.#worker?.close();
  }

  override async start(taskId: string, origin: TaskOrigin, command: MessageCommand): Promise<number> {
    this.#refuseWhenDraining();
    await this.queue.create(taskId, origin, command);
    const start = this.#watchStart(taskId, command.configuration?.returnImmediately);
    this.#accepted.add(start);
    // Callers hear of it as they hear of a worker that does not come: by the log.
    this.#pokes.add({ taskId, sequence: 1, token: 0 }).catch((error: unknown) => {
      this.#logger.warn(`Task ${taskId} was not queued: ${String(error)}`);
      return start.giveUp();
    });
    return 1;
  }

  override async send(taskId: string, command: MessageCommand): Promise<number> {
    this.#refuseWhenDraining();
    const head = await this.lost.restoring(taskId, () =>
      this.queue.appendCommand(taskId, command, this.#options.maxPendingMessages),
    );
    if (!head.holder && head.runState !== 'detached')
      // The message is in the log, so nothing has failed for its caller: the sweep finds it there.
      this.#pokes.add(head).catch((error: unknown) => {
        this.#logger.warn(`A message for task ${taskId} waits for the sweep: ${String(error)}`);
      });
    return head.sequence;
  }

  override async poke(taskId: string): Promise<void> {
    const head = await this.queue.head(taskId);
    if (!head || head.closed || head.holder || head.runState === 'detached') return;
    // The process that accepted it may be gone, so somebody else has to see to it that it does not wait for ever.
    if (isNew(head)) this.#watchStart(taskId);
    await this.#pokes.add(head);
  }

  override cancel(taskId: string, command: CancelCommand): Promise<void> {
    return this.canceller.cancel(taskId, command);
  }

  override async drain(): Promise<void> {
    this.#worker?.stop();
    // Callers whose run has not begun are told to send again, elsewhere.
    const withdrawn = Promise.all([...this.#accepted].map((start) => start.withdraw()));
    const [handedOver] = await Promise.all([this.workshop.drain(), withdrawn]);
    // Where a job cannot be added, the recovery of another process finds the task.
    await Promise.allSettled(handedOver.map((taskId) => this.poke(taskId)));
  }

  #watchStart(taskId: string, returnImmediately = false): StartWatch {
    const watched = this.#starts.get(taskId);
    if (watched) return watched;
    const { startTimeoutMs: giveUpMs, immediateFirstEventMs: publishMs } = this.#options;
    const task = new QueuedTask(taskId, this.queue, this.writers, this.workshop.request, this.#pokes);
    const times = returnImmediately ? { giveUpMs, publishMs } : { giveUpMs };
    const start: StartWatch = new StartWatch(taskId, task, this.queue, times, () => {
      this.#starts.delete(taskId);
      this.#accepted.delete(start);
    });
    this.#starts.set(taskId, start);
    return start;
  }

  #refuseWhenDraining(): void {
    if (this.accepting) return;
    throw shuttingDown();
  }
}

/** Whether no run has begun, as far as the head tells. */
function isNew({ runState, taken }: LogHead): boolean {
  return runState === 'queued' && taken === 0;
}
