import { Logger } from '@nestjs/common';
import type { QueueManager } from '../interfaces/queue-manager.js';
import type { QueuedTask } from './queued-task.js';

/** In ms after the watch began. */
export interface StartTimes {
  /** The task is published by then; never when absent. */
  readonly publishMs?: number;
  readonly giveUpMs: number;
}

/** Watches one new task until a worker has taken it, or for as long as one may take. */
export class StartWatch {
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #unwatch: () => void;
  #work: Promise<void> = Promise.resolve();
  #over: Promise<void> | undefined;

  constructor(
    private readonly taskId: string,
    private readonly task: QueuedTask,
    queue: QueueManager,
    { publishMs, giveUpMs }: StartTimes,
    private readonly onOver: () => void,
  ) {
    if (publishMs !== undefined) this.#after(publishMs, () => this.#do(() => this.task.publish()));
    this.#after(giveUpMs, () => this.giveUp());
    // A task that nobody publishes meanwhile has its first event when a run has begun. Of others the log is asked at the end.
    const begun = (sequence = 1): void => {
      if (publishMs === undefined && sequence > 1) void this.end();
    };
    this.#unwatch = queue.watch(taskId, begun);
  }

  /** Gives the task up now, unless a run has begun. */
  giveUp(): Promise<void> {
    return (this.#over ??= this.#finish(() => this.task.giveUp()));
  }

  /** Takes the task back now, unless a run has begun or its caller knows it. */
  withdraw(): Promise<void> {
    return (this.#over ??= this.#finish(() => this.task.withdraw()));
  }

  /** Watches no more. Resolves when nothing is done to the task any more. */
  end(): Promise<void> {
    return (this.#over ??= this.#finish());
  }

  async #finish(last?: () => Promise<void>): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#unwatch();
    if (last) this.#do(last);
    await this.#work;
    this.onOver();
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms).unref());
  }

  /** One after the other. What could not be done is left to the sweep. */
  #do(act: () => Promise<void>): void {
    this.#work = this.#work.then(act).catch((error: unknown) => {
      new Logger('A2A').warn(`The queued task ${this.taskId} was not looked after: ${String(error)}`);
    });
  }
}
