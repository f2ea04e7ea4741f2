import { Inject, Injectable } from '@nestjs/common';
import { InvalidParamsError } from '../protocol/errors.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { QueueManager, TaskLogExistsError, type SendClaim } from '../interfaces/queue-manager.js';
import { TaskStore, type TaskScope } from '../interfaces/task-store.js';
import { claimKey } from './send-digest.js';

/** Where a message is. */
export interface PlacedMessage {
  readonly taskId: string;
  /** Number of the message in the log. */
  readonly sequence: number;
  /** Whether its story is told from the task as it is now, and not from the beginning. */
  readonly followUp: boolean;
}

export interface OnceOptions {
  readonly scope: TaskScope;
  readonly messageId: string;
  readonly digest: string;
}

/**
 * Sends that may be repeated: a caller's messageId starts nothing twice within the window, whichever process is asked. A claim says where to look
 * for the message; whether it is there, only the log knows. So a process that fails in between leaves nothing that a repeated or a corrected
 * send could not go on from.
 */
@Injectable()
export class IdempotentSends {
  readonly #windowMs: number;

  constructor(
    private readonly queue: QueueManager,
    private readonly store: TaskStore,
    @Inject(A2A_OPTIONS) { idempotency }: ResolvedOptions,
  ) {
    this.#windowMs = idempotency.windowMs;
  }

  get enabled(): boolean {
    return this.#windowMs > 0;
  }

  /** Starts a task, unless the message has started one. Throws InvalidParamsError when the messageId came with another payload. */
  async begin(
    taskId: string,
    once: OnceOptions,
    start: (taskId: string) => Promise<PlacedMessage>,
    behind?: string,
  ): Promise<PlacedMessage> {
    const claim = await this.#claim(taskId, once, behind);
    const earlier = claim.taskId === taskId ? undefined : await this.#find(claim, once);
    if (earlier) return earlier;
    try {
      return await start(claim.taskId);
    } catch (error) {
      if (!(error instanceof TaskLogExistsError)) throw error;
      // Another process was faster; or the claim was made for a follow-up to that task, which was refused.
      const placed = await this.#find(claim, once);
      return placed ?? this.begin(taskId, once, start, claim.taskId);
    }
  }

  /** Appends a follow-up, unless the message has been appended. Throws as begin() does. */
  async follow(taskId: string, once: OnceOptions, send: () => Promise<number>): Promise<PlacedMessage> {
    const claim = await this.#claim(taskId, once);
    if (claim.taskId !== taskId && (await this.#find(claim, once))) throw mismatch();
    const sequence = await send().catch(async (error: unknown) => {
      const placed = await this.#find(claim, once);
      if (!placed) throw error;
      return placed.sequence;
    });
    return this.#checked(taskId, sequence, once);
  }

  #claim(taskId: string, { scope, messageId, digest }: OnceOptions, behind?: string): Promise<SendClaim> {
    return this.queue.claim(claimKey(scope, messageId, behind), { taskId, digest }, this.#windowMs);
  }

  /** The log appends a messageId once, so what stands at the number may be another payload. */
  async #checked(taskId: string, sequence: number, { digest }: OnceOptions): Promise<PlacedMessage> {
    const [record] = await this.queue.read(taskId, sequence - 1, 1);
    if (record?.command?.kind === 'message' && record.command.once !== digest) throw mismatch();
    return { taskId, sequence, followUp: true };
  }

  /** Undefined when the message is not where the claim points to. */
  async #find(claim: SendClaim, { messageId, digest }: OnceOptions): Promise<PlacedMessage | undefined> {
    const { taskId } = claim;
    let cursor = 0;
    for (;;) {
      const records = await this.queue.read(taskId, cursor);
      if (records.length === 0) break;
      for (const { sequence, command } of records) {
        if (command?.kind !== 'message' || command.once === undefined) continue;
        if (command.message.messageId !== messageId) continue;
        if (command.once !== digest) throw mismatch();
        return { taskId, sequence, followUp: sequence > 1 };
      }
      cursor = records.at(-1)!.sequence;
    }
    const kept = cursor > 0 ? undefined : await this.store.get(taskId);
    if (!kept?.task.history?.some((message) => message.messageId === messageId)) return undefined;
    if (claim.digest !== digest) throw mismatch();
    return { taskId, sequence: kept.sequence, followUp: true };
  }
}

function mismatch(): InvalidParamsError {
  const description = 'was used a short while ago for a message that was not the same; choose another id';
  return new InvalidParamsError([{ field: 'message.messageId', description }]);
}
