import { Injectable } from '@nestjs/common';
import { UnsupportedOperationError } from '../protocol/errors.js';
import { isTerminal } from '../protocol/task-state.js';
import { QueueManager } from '../interfaces/queue-manager.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { TaskReader, type EventStream } from '../interfaces/task-reader.js';
import type { TaskRecord } from '../interfaces/task-store.js';
import { TaskAccess } from './task-access.js';

const OPENING = { snapshot: true, untilPaused: true };

/** SubscribeToTask (§3.1.6), and its resumption after a given event (our extension). */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly access: TaskAccess,
    private readonly reader: TaskReader,
    private readonly queue: QueueManager,
  ) {}

  async open(id: string, call: ServerCallContext, lastEventId?: number): Promise<EventStream> {
    const record = await this.access.get(id, call);
    if (lastEventId !== undefined && (await this.#canResume(record, lastEventId))) {
      return this.reader.follow(id, { after: lastEventId, snapshot: false, untilPaused: true });
    }
    const missing = lastEventId !== undefined && record.sequence > lastEventId;
    if (isTerminal(record.task.status.state) && !missing) throw ended(record);
    return this.reader.follow(id, OPENING);
  }

  /** Whether the log still holds what follows the number, and the number is one of this log. */
  async #canResume({ task, sequence }: TaskRecord, lastEventId: number): Promise<boolean> {
    const head = await this.queue.head(task.id);
    if (!head || lastEventId > head.sequence || lastEventId + 1 < head.firstSequence) return false;
    return !isTerminal(task.status.state) || lastEventId < sequence;
  }
}

function ended({ task }: TaskRecord): UnsupportedOperationError {
  return new UnsupportedOperationError(
    `Task ${task.id} has ended (${task.status.state}), so nothing will follow; read it with GetTask`,
    { metadata: { taskId: task.id } },
  );
}
