import { Inject, Injectable } from '@nestjs/common';
import { TaskProjection } from '../protocol/task-projection.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import {
  QueueManager,
  TaskLogNotFoundError,
  type Lease,
  type LogRecord,
  type TaskOrigin,
} from '../interfaces/queue-manager.js';
import { applyRecord } from '../interfaces/log-record.js';
import { TaskStore } from '../interfaces/task-store.js';
import { LastRun, type InterruptedRun } from './last-run.js';
import { SnapshotSaver } from './snapshot-saver.js';
import { TaskWriter } from './task-writer.js';

/** A writer that goes on with a task, the commands that no run has taken, and the run that somebody left unfinished. */
export interface OpenedTask {
  readonly writer: TaskWriter;
  readonly origin: TaskOrigin;
  readonly untaken: readonly CommandRecord[];
  readonly interrupted?: InterruptedRun;
}

type CommandRecord = Extract<LogRecord, { command: object }>;

const PAGE = 1_024;

/** Makes the writer for whoever holds a lease. */
@Injectable()
export class TaskWriters {
  constructor(
    private readonly queue: QueueManager,
    private readonly store: TaskStore,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /** For a log that was just created and holds its first command only. */
  begin(lease: Lease, origin: TaskOrigin): TaskWriter {
    return this.#writer(lease, origin, new TaskProjection(undefined, 1));
  }

  /** For a log that goes on: reads the snapshot and the log's tail. */
  async open(lease: Lease): Promise<OpenedTask> {
    const head = await this.queue.head(lease.taskId);
    if (!head) throw new TaskLogNotFoundError(lease.taskId);
    const record = await this.store.get(lease.taskId);
    const projection = new TaskProjection(record?.task, record?.sequence);
    const lastRun = new LastRun(head, projection.state);
    const untaken: CommandRecord[] = [];
    // Commands that the snapshot contains may still wait for a run, or for another.
    let cursor = Math.min(projection.sequence, Math.max(0, head.taken - 1));
    for (;;) {
      const records = await this.queue.read(lease.taskId, cursor, PAGE);
      if (records.length === 0) break;
      for (const item of records) {
        if (item.sequence > projection.sequence) applyRecord(projection, item);
        if (item.command && item.sequence > head.taken) untaken.push(item);
        lastRun.note(item);
        cursor = item.sequence;
      }
    }
    const writer = this.#writer(lease, head, projection);
    if (head.closed) writer.close();
    const interrupted = wasLeft(lease) && !head.closed ? lastRun.interrupted() : undefined;
    return { writer, origin: head, untaken, ...(interrupted && { interrupted }) };
  }

  #writer(lease: Lease, origin: TaskOrigin, projection: TaskProjection): TaskWriter {
    const saver = new SnapshotSaver(this.store, origin, lease.token);
    return new TaskWriter(lease, origin, projection, this.queue, saver, this.options.execution);
  }
}

/** Whether the last run of the log may not have come to its end. */
function wasLeft({ found }: Lease): boolean {
  return found === 'running' || found === 'queued';
}
