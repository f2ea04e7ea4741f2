import type { LogRecord, QueueManager } from '../interfaces/queue-manager.js';
import type { TraceContext } from '../interfaces/server-call-context.js';

/**
 * The trace contexts that the messages of a task came with, as the log has them: all are of callers who may see the task, as its webhooks are.
 * Only the one looked at last is kept, which most events belong to.
 */
export class MessageTraces {
  #last: { readonly sequence: number; readonly trace: TraceContext | undefined } | undefined;

  constructor(
    private readonly taskId: string,
    private readonly queue: QueueManager,
  ) {}

  /** Saves a look at the log, for a record that was read anyway. */
  note({ sequence, command }: LogRecord): void {
    if (command?.kind === 'message') this.#last = { sequence, trace: command.call.trace };
  }

  /** @param taken number of the message; 0 before any was taken, absent for the one that was taken last. */
  async of(taken?: number): Promise<TraceContext | undefined> {
    const known = taken ?? (await this.queue.head(this.taskId))?.taken;
    if (known === undefined) return undefined;
    // What happens before any run belongs to the message that began the task.
    const sequence = Math.max(known, 1);
    if (this.#last?.sequence === sequence) return this.#last.trace;
    const [record] = await this.queue.read(this.taskId, sequence - 1, 1);
    // Of a log that was made anew, the message is gone.
    const command = record?.sequence === sequence ? record.command : undefined;
    this.#last = { sequence, trace: command?.call.trace };
    return this.#last.trace;
  }
}
