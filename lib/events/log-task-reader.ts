import { Injectable } from '@nestjs/common';
import { nextTurn } from '../interfaces/next-turn.js';
import { TaskNotFoundError, UnavailableError } from '../protocol/errors.js';
import { TaskProjection } from '../protocol/task-projection.js';
import { isSettled, isTerminal } from '../protocol/task-state.js';
import { QueueManager, type LogRecord } from '../interfaces/queue-manager.js';
import {
  TaskReader,
  type EventStream,
  type FollowOptions,
  type OutcomeOptions,
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
import { shuttingDown } from '../interfaces/shutting-down.js';
import { LogStream, type LogStreamOptions } from './log-stream.js';

const PAGE = 1_024;
/** How often a task is read that changes while it is read. */
const TRIES = 3;

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
    return this.#current(id, await this.store.get(id, scope), scope);
  }

  /** The task as of now, given its snapshot, which may have changed meanwhile. */
  async #current(
    id: string,
    snapshot: TaskRecord | undefined,
    scope?: TaskScope,
  ): Promise<TaskRecord | undefined> {
    for (let tries = 1; ; tries += 1) {
      const record = tries === 1 ? snapshot : await this.store.get(id, scope);
      if (record && isTerminal(record.task.status.state)) return record;
      const base = record ?? (await this.queue.head(id));
      if (!base || (scope && !inScope(base, scope))) return undefined;
      const projection = new TaskProjection(record?.task, record?.sequence);
      const tail = await this.#read(id, projection.sequence);
      // A tail that does not begin where the snapshot ends: a newer one was saved in between, and tells what is missing.
      if (tries < TRIES && tail.length > 0 && tail[0]!.sequence > projection.sequence + 1) continue;
      const fence = 'fence' in base ? base.fence : base.token;
      return this.#fold(projection, { ...base, fence }, id, Infinity, tail);
    }
  }

  override async list(query: TaskQuery): Promise<TaskPage> {
    const page = await this.store.list(query);
    const current = await Promise.all(
      page.records.map(async (record) =>
        isTerminal(record.task.status.state)
          ? record
          : ((await this.#current(record.task.id, record)) ?? record),
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
    { after, untilPublished, signal }: OutcomeOptions,
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
    const finish = (): void => stream.finish();
    signal?.addEventListener('abort', finish);
    // The store may have taken its time.
    if (signal?.aborted) finish();
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
      const record = signal?.aborted ? await this.#published(id) : await this.#existing(id);
      return { record: isSettled(record.task.status.state) ? record : await this.#asOf(record, last) };
    } finally {
      signal?.removeEventListener('abort', finish);
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

  /** The task as it is, for a caller that cannot be waited with. */
  async #published(id: string): Promise<TaskRecord> {
    const record = await this.get(id);
    if (record) return record;
    // A run that has shown nothing yet may have begun elsewhere: to send the message again could do it twice.
    if (await this.queue.head(id))
      throw new UnavailableError('The agent is shutting down; it may go on with the message elsewhere');
    throw shuttingDown();
  }

  /** Undefined when the task is not published by the end of the log, or by the number `until`. */
  async #fold(
    projection: TaskProjection,
    base: TaskScope & { readonly fence: number },
    id: string,
    until = Infinity,
    tail?: readonly LogRecord[],
  ): Promise<TaskRecord | undefined> {
    let records = tail;
    while (projection.sequence < until) {
      records ??= await this.#read(id, projection.sequence, until);
      if (records.length === 0) break;
      for (const record of records) applyRecord(projection, record);
      records = undefined;
    }
    if (!projection.published) return undefined;
    const { agent, tenant, owner, fence } = base;
    return { task: projection.snapshot(), agent, tenant, owner, fence, sequence: projection.sequence };
  }

  #read(id: string, after: number, until = Infinity): Promise<readonly LogRecord[]> {
    return this.queue.read(id, after, Math.min(PAGE, until - after));
  }
}
