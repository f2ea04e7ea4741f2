import { Injectable } from '@nestjs/common';
import { nextTurn } from '../interfaces/next-turn.js';
import { TaskNotFoundError } from '../protocol/errors.js';
import { TaskProjection } from '../protocol/task-projection.js';
import { isSettled, isTerminal } from '../protocol/task-state.js';
import { QueueManager } from '../interfaces/queue-manager.js';
import {
  TaskReader,
  type EventStream,
  type FollowOptions,
  type TaskOutcome,
} from '../interfaces/task-reader.js';
import {
  TaskStore,
  inScope,
  type TaskPage,
  type TaskQuery,
  type TaskRecord,
  type TaskScope,
} from '../interfaces/task-store.js';
import { applyRecord } from '../interfaces/log-record.js';
import { LogStream, type LogStreamOptions } from './log-stream.js';

/** Reads tasks as snapshot + tail of the log. */
@Injectable()
export class LogTaskReader extends TaskReader {
  constructor(
    private readonly store: TaskStore,
    private readonly queue: QueueManager,
  ) {
    super();
  }

  override async get(id: string, scope?: TaskScope): Promise<TaskRecord | undefined> {
    const record = await this.store.get(id, scope);
    if (record) return isTerminal(record.task.status.state) ? record : this.#withTail(record);
    const head = await this.queue.head(id);
    if (!head || (scope && !inScope(head, scope))) return undefined;
    const { agent, tenant, owner, token: fence } = head;
    return this.#fold(new TaskProjection(), { agent, tenant, owner, fence }, id);
  }

  override async list(query: TaskQuery): Promise<TaskPage> {
    const page = await this.store.list(query);
    const current = await Promise.all(
      page.records.map(async (record) =>
        isTerminal(record.task.status.state) ? record : ((await this.#withTail(record)) ?? record),
      ),
    );
    const records = current.filter(
      ({ task }) => query.status === undefined || task.status.state === query.status,
    );
    return { ...page, records, totalSize: page.totalSize - (current.length - records.length) };
  }

  override follow(id: string, options: FollowOptions): EventStream {
    return this.#stream(id, options);
  }

  override async outcome(
    id: string,
    { after, untilPublished }: { readonly after: number; readonly untilPublished: boolean },
  ): Promise<TaskOutcome> {
    // A task that is done at once is done by the next turn, and its snapshot tells all.
    await nextTurn();
    const done = await this.store.get(id);
    if (done && isTerminal(done.task.status.state)) return { record: done };
    const stream = this.#stream(id, {
      after,
      message: after,
      snapshot: false,
      untilPaused: true,
      untilAuth: true,
    });
    try {
      if (untilPublished) {
        const record = await this.get(id);
        if (record) return { record };
      }
      let last = after;
      for (let batch = await stream.read(); batch; batch = await stream.read()) {
        for (const { sequence, event } of batch) {
          last = sequence;
          if (event.message) return { message: event.message };
          if (untilPublished) return { record: await this.#existing(id) };
        }
      }
      const record = await this.#existing(id);
      return { record: isSettled(record.task.status.state) ? record : await this.#asOf(record, last) };
    } finally {
      stream.close();
    }
  }

  #stream(id: string, options: LogStreamOptions): LogStream {
    return new LogStream(id, this.queue, () => this.get(id), options);
  }

  /** The task at the event that settled it, if a waiting message has set it to work again since. */
  async #asOf(record: TaskRecord, sequence: number): Promise<TaskRecord> {
    return (await this.#fold(new TaskProjection(), record, record.task.id, sequence)) ?? record;
  }

  async #existing(id: string): Promise<TaskRecord> {
    const record = await this.get(id);
    if (!record) throw new TaskNotFoundError(undefined, { metadata: { taskId: id } });
    return record;
  }

  async #withTail(record: TaskRecord): Promise<TaskRecord | undefined> {
    return this.#fold(new TaskProjection(record.task, record.sequence), record, record.task.id);
  }

  /** Undefined when the task is not published by the end of the log, or by the number `until`. */
  async #fold(
    projection: TaskProjection,
    base: TaskScope & { readonly fence: number },
    id: string,
    until = Infinity,
  ): Promise<TaskRecord | undefined> {
    while (projection.sequence < until) {
      const records = await this.queue.read(
        id,
        projection.sequence,
        Math.min(1_024, until - projection.sequence),
      );
      if (records.length === 0) break;
      if (records[0]!.sequence > projection.sequence + 1) return this.get(id);
      for (const record of records) applyRecord(projection, record);
    }
    if (!projection.published) return undefined;
    const { agent, tenant, owner, fence } = base;
    return { task: projection.snapshot(), agent, tenant, owner, fence, sequence: projection.sequence };
  }
}
