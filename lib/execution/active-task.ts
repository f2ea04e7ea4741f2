import type { Lease, TaskCommand, TaskOrigin } from '../interfaces/queue-manager.js';
import { ActiveRun } from './active-run.js';
import type { InterruptedRun, WaitingMessage } from './last-run.js';
import type { RunServices } from './run-services.js';
import { statusUpdate } from './status-update.js';
import type { TaskWriter } from './task-writer.js';

/** Why a task is FAILED without its executor. */
export interface Interruption {
  readonly reason: string;
  readonly text: string;
}

const NONE: ReadonlySet<string> = new Set();

const LOST: Interruption = {
  reason: 'interrupted',
  text: 'interrupted: the process that worked on the task was lost',
};

/**
 * A task while this process holds its lease. It takes the messages of the log in order and runs the executor for each, one at a time;
 * a cancel goes before them. It ends when the task has ended, waits for somebody else, or the lease was lost.
 */
export class ActiveTask {
  readonly #waiting: WaitingMessage[] = [];
  #run: ActiveRun | undefined;
  #cancelled = false;
  #interruption: Interruption | undefined;
  #detached: boolean;
  /** Messages are left to others. */
  #handsOff = false;
  /** The message that was taken last has to run again. */
  #again = false;
  #artifactIds = NONE;

  constructor(
    readonly lease: Lease,
    private readonly origin: TaskOrigin,
    private readonly writer: TaskWriter,
    private readonly services: RunServices,
  ) {
    this.#detached = lease.found === 'detached';
    writer.onCommand = (sequence, command) => this.accept(sequence, command);
    writer.onLost = () => this.#run?.giveUp();
  }

  get taskId(): string {
    return this.lease.taskId;
  }

  /** Whether the lease was lost while the task was worked on. */
  get lost(): boolean {
    return this.writer.lost;
  }

  /** Whether messages wait that were left to others. */
  get waits(): boolean {
    return this.#waiting.length > 0 || this.#again;
  }

  /** A command of the log; each comes here once. */
  accept(sequence: number, command: TaskCommand): void {
    if (command.kind === 'cancel') {
      this.#cancelled = true;
      this.#run?.cancel();
    } else if (!this.#detached) this.#waiting.push({ sequence, command });
  }

  /** A run was left unfinished: it begins anew where the agent wants it, before all that waits, or the task fails. */
  recover({ message, artifactIds }: InterruptedRun): void {
    if (message && this.services.invoker.retries(this.origin.agent)) {
      this.#again = true;
      this.#artifactIds = artifactIds;
      this.#waiting.unshift(message);
    } else this.#interruption = LOST;
  }

  /** Settles what can be settled without an executor, and leaves messages to others. */
  leaveMessages(): void {
    this.#handsOff = true;
  }

  /** The process ends: another one goes on where there is one and the agent wants it, or the task ends as FAILED. */
  interrupt(interruption: Interruption): void {
    if (this.#handsOff) return;
    if (!this.services.queue.volatile && this.services.invoker.retries(this.origin.agent)) {
      this.#handsOff = true;
      this.#again ||= this.#run !== undefined;
      this.#run?.giveUp();
    } else {
      this.#interruption = interruption;
      this.#run?.interrupt(interruption.reason, interruption.text);
    }
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
          const next = this.#waiting[0];
          if (this.#cancelled) await this.#cancelIdle();
          else if (this.#interruption) await this.#fail(this.#interruption);
          else if (next && !this.#handsOff) await this.#runFor(next);
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
    const attempt = await this.writer.patience.do(() => this.services.queue.take(this.lease, sequence));
    this.#waiting.shift();
    this.#again = false;
    // What came meanwhile had no run to tell.
    if (this.#cancelled || this.#interruption || this.writer.closed) return;
    if (attempt > this.services.maxAttempts) {
      const text = `interrupted: the processes that worked on the task were lost ${attempt - 1} times`;
      this.#interruption = { reason: LOST.reason, text };
      return;
    }
    if (this.#handsOff) {
      this.#again = true;
      return;
    }
    this.writer.reopen(this.#artifactIds);
    this.#artifactIds = NONE;
    const run = new ActiveRun(command, attempt, this.origin, this.writer, this.services);
    this.#run = run;
    await run.finish();
    this.#run = undefined;
    this.#detached = run.detached;
    if (run.detached || run.paused) this.#again = false;
    if (this.#detached) this.#waiting.length = 0;
  }

  async #cancelIdle(): Promise<void> {
    await this.#publishFirst();
    await this.writer.emit(statusUpdate(this.writer, 'TASK_STATE_CANCELED'));
  }

  async #fail({ reason, text }: Interruption): Promise<void> {
    await this.#publishFirst();
    await this.writer.emit(statusUpdate(this.writer, 'TASK_STATE_FAILED', text, { reason }));
  }

  /** A task that ends before its first run still shows what it was asked. */
  async #publishFirst(): Promise<void> {
    if (this.writer.published) return;
    const [first] = await this.writer.patience.do(() => this.services.queue.read(this.writer.taskId, 0, 1));
    if (first?.command?.kind === 'message') this.writer.publish(first.command.message);
  }

  /** False when a command came in meanwhile. A lease that was lost is another's, or left to expire where the log cannot be reached. */
  async #release(): Promise<boolean> {
    if (this.writer.lost) return true;
    const { closed } = this.writer;
    if (!closed && (this.#cancelled || this.#interruption)) return false;
    if (!closed && this.#waiting.length > 0 && !this.#handsOff) return false;
    const seen = this.#handsOff && this.waits ? Infinity : this.writer.seen;
    const runState = closed ? 'ended' : this.#restState();
    const { queue } = this.services;
    const released = await this.writer.patience.do(() => queue.release(this.lease, runState, seen));
    if (!released) await this.writer.catchUp();
    return released;
  }

  /** What the task waits for now. */
  #restState(): 'detached' | 'queued' | 'parked' {
    if (this.#detached) return 'detached';
    const left = this.#handsOff && this.#waiting.length > 0 && this.lease.found !== 'parked';
    return this.#again || left || !this.writer.published ? 'queued' : 'parked';
  }
}
