import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { UnavailableError } from '../protocol/errors.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import {
  QueueManager,
  type CancelCommand,
  type MessageCommand,
  type TaskOrigin,
} from '../interfaces/queue-manager.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { Canceller } from './canceller.js';
import { Workshop } from './workshop.js';

/** Runs executors in this process. */
@Injectable()
export class InProcessTaskRunner extends TaskRunner implements OnModuleDestroy {
  constructor(
    private readonly queue: QueueManager,
    private readonly workshop: Workshop,
    private readonly canceller: Canceller,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {
    super();
  }

  override get accepting(): boolean {
    return this.workshop.accepting;
  }

  onModuleDestroy(): void {
    this.workshop.close();
  }

  override async start(taskId: string, origin: TaskOrigin, command: MessageCommand): Promise<number> {
    this.#refuseWhenDraining();
    const lease = await this.queue.create(taskId, origin, command, this.workshop.request);
    this.workshop.begin(lease!, origin, command);
    return 1;
  }

  override async send(taskId: string, command: MessageCommand): Promise<number> {
    this.#refuseWhenDraining();
    const head = await this.queue.appendCommand(taskId, command, this.options.execution.maxPendingMessages);
    if (!head.holder && head.runState !== 'detached') await this.poke(taskId);
    return head.sequence;
  }

  override async poke(taskId: string): Promise<void> {
    await this.workshop.resume(taskId);
  }

  override cancel(taskId: string, command: CancelCommand): Promise<void> {
    return this.canceller.cancel(taskId, command);
  }

  override drain(): Promise<void> {
    return this.workshop.drain();
  }

  #refuseWhenDraining(): void {
    if (this.accepting) return;
    throw new UnavailableError('The agent is shutting down; try again later', { retryAfterSeconds: 5 });
  }
}
