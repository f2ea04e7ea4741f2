import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { shuttingDown } from '../interfaces/shutting-down.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import {
  QueueManager,
  type CancelCommand,
  type MessageCommand,
  type TaskOrigin,
} from '../interfaces/queue-manager.js';
import { OwnerResolver } from '../interfaces/owner-resolver.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { Canceller } from './canceller.js';
import { LostLogs } from './lost-logs.js';
import { RunSlots } from './run-slots.js';
import { Workshop } from './workshop.js';

/** Runs executors in this process. */
@Injectable()
export class InProcessTaskRunner extends TaskRunner implements OnModuleDestroy {
  constructor(
    private readonly queue: QueueManager,
    private readonly workshop: Workshop,
    private readonly canceller: Canceller,
    private readonly lost: LostLogs,
    private readonly slots: RunSlots,
    private readonly owners: OwnerResolver,
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
    const leave = this.slots.take(origin.owner);
    try {
      const lease = await this.queue.create(taskId, origin, command, this.workshop.request);
      this.workshop.begin(lease!, origin, command, leave);
      return 1;
    } catch (error) {
      leave();
      throw error;
    }
  }

  override async send(taskId: string, command: MessageCommand): Promise<number> {
    this.#refuseWhenDraining();
    if (this.workshop.isActive(taskId)) return this.#append(taskId, command);
    const leave = this.slots.take(this.owners.resolve(command.call));
    try {
      return await this.#append(taskId, command);
    } finally {
      leave();
    }
  }

  async #append(taskId: string, command: MessageCommand): Promise<number> {
    const { maxPendingMessages } = this.options.execution;
    const head = await this.lost.restoring(taskId, () =>
      this.queue.appendCommand(taskId, command, maxPendingMessages),
    );
    if (!head.holder && head.runState !== 'detached') await this.poke(taskId);
    return head.sequence;
  }

  override async poke(taskId: string): Promise<void> {
    await this.workshop.resume(taskId);
  }

  override cancel(taskId: string, command: CancelCommand): Promise<void> {
    return this.canceller.cancel(taskId, command);
  }

  /** What is handed over is found by the recovery of another process. */
  override async drain(): Promise<void> {
    await this.workshop.drain();
  }

  #refuseWhenDraining(): void {
    if (this.accepting) return;
    throw shuttingDown();
  }
}
