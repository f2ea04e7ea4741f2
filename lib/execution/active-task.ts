import type { Lease, MessageCommand, TaskCommand, TaskOrigin } from '../interfaces/queue-manager.js';
import { ActiveRun } from './active-run.js';
import type { RunServices } from './run-services.js';
import { statusUpdate } from './status-update.js';
import type { TaskWriter } from './task-writer.js';

interface WaitingMessage {
  readonly sequence: number;
  readonly command: MessageCommand;
}

/**
 * A task while this process holds its lease. It takes the messages of the log in order and runs the executor for each, one at a time;
 * a cancel goes before them. It ends when the task has ended, waits for somebody else, or the lease was lost.
 */
export class ActiveTask {
  readonly #waiting: WaitingMessage[] = [];
  #run: ActiveRun | undefined;
  #cancelled = false;
  #interruption: { readonly reason: string; readonly text: string } | undefined;
  #detached = false;

  constructor(
    readonly lease: Lease,
    private readonly origin: TaskOrigin,
    private readonly writer: TaskWriter,
    private readonly services: RunServices,
  ) {
    writer.onCommand = (sequence, command) => this.accept(sequence, command);
    writer.onLost = () => this.#run?.giveUp();
  }

  /** A command of the log; each comes here once. */
  accept(sequence: number, command: TaskCommand): void {
    if (command.kind === 'cancel') {
      this.#cancelled = true;
      this.#run?.cancel();
    } else if (!this.#detached) this.#waiting.push({ sequence, command });
  }

  /** Ends the task as FAILED for a reason that is not the executor's. */
  interrupt(reason: string, text: string): void {
    this.#interruption = { reason, text };
    this.#run?.interrupt(reason, text);
  }

  /** The lease is another's: the executor is told, and what it still does is refused. */
  lose(): void {
    this.writer.lose();
  }

  /** Works until there is nothing left to do, and gives the lease back. Rejects when the log or the store fails. */
  async work(): Promise<void> {
    const { queue } = this.services;
    const unwatch = queue.watch(this.writer.taskId, (sequence) => {
      if (sequence !== undefined && this.writer.expects(sequence)) return;
      // Failures show in the writer's next append; the watcher itself has nobody to tell.
      this.writer.catchUp(sequence).catch(() => this.lose());
    });
    try {
      do {
        while (!this.writer.closed) {
          const next = this.#waiting.shift();
          if (this.#interruption) await this.#fail(this.#interruption);
          else if (this.#cancelled) await this.#cancelIdle();
          else if (next) await this.#runFor(next);
          else break;
        }
        await this.writer.settle();
      } while (!(await this.#release()));
    } finally {
      unwatch();
    }
  }

  async #runFor({ sequence, command }: WaitingMessage): Promise<void> {
    // Events are marked with the message that was taken last, so those of the run before must be logged by then.
    await this.writer.flush();
    await this.services.queue.take(this.lease, sequence);
    // What came meanwhile had no run to tell.
    if (this.#cancelled || this.#interruption || this.writer.closed) return;
    const run = new ActiveRun(command, this.origin, this.writer, this.services);
    this.#run = run;
    await run.finish();
    this.#run = undefined;
    this.#detached = run.detached;
    if (this.#detached) this.#waiting.length = 0;
  }

  async #cancelIdle(): Promise<void> {
    await this.#publishFirst();
    await this.writer.emit(statusUpdate(this.writer, 'TASK_STATE_CANCELED'));
  }

  async #fail({ reason, text }: { readonly reason: string; readonly text: string }): Promise<void> {
    await this.#publishFirst();
    await this.writer.emit(statusUpdate(this.writer, 'TASK_STATE_FAILED', text, { reason }));
  }

  /** A task that ends before its first run still shows what it was asked. */
  async #publishFirst(): Promise<void> {
    if (this.writer.published) return;
    const [first] = await this.services.queue.read(this.writer.taskId, 0, 1);
    if (first?.command?.kind === 'message') this.writer.publish(first.command.message);
  }

  /** False when a command came in meanwhile. A lease that was lost is another's, or left to expire where the log cannot be reached. */
  async #release(): Promise<boolean> {
    if (this.writer.lost) return true;
    if (!this.writer.closed && (this.#waiting.length > 0 || this.#cancelled)) return false;
    const runState = this.writer.closed ? 'ended' : this.#detached ? 'detached' : 'parked';
    const released = await this.services.queue.release(this.lease, runState, this.writer.seen);
    if (!released) await this.writer.catchUp();
    return released;
  }
}
