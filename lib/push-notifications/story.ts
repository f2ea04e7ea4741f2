import type { Artifact, StreamResponse, Task, TaskArtifactUpdateEvent } from '../protocol/model.js';
import { TaskProjection } from '../protocol/task-projection.js';
import { isTerminal } from '../protocol/task-state.js';
import type { ResolvedPushOptions } from '../interfaces/push-options.js';
import type { DeliveryState } from '../interfaces/push-delivery.js';
import type { LogRecord, QueueManager } from '../interfaces/queue-manager.js';
import type { TraceContext } from '../interfaces/server-call-context.js';
import { applyRecord } from '../interfaces/log-record.js';
import type { TaskRecord } from '../interfaces/task-store.js';
import type { TaskReader } from '../interfaces/task-reader.js';
import { ChunkRun } from './chunk-run.js';
import { MessageTraces } from './message-traces.js';

/** Records that one read asks for. */
const PAGE = 64;

/** What a webhook is to be told next. */
export interface Notification {
  readonly kind: 'notification';
  /** Number of the last record that it tells of. */
  readonly sequence: number;
  /** Whether it is the Task as it is, in place of what the log says. */
  readonly snapshot: boolean;
  readonly event: StreamResponse;
  /** Whether the task ends with it. */
  readonly last: boolean;
  /** Whether more is in the log already. */
  readonly more: boolean;
  /** Number of the message that it belongs to; absent in a snapshot, which belongs to the last. */
  readonly taken?: number;
}

/** Where in the log a notification comes from. */
type Place = Required<Pick<Notification, 'sequence' | 'taken'>>;

/**
 * What comes next: `waiting`: nothing yet; `told`: nothing any more; `untold`: nothing at all, since no task came of the message; `missing`:
 * there is neither log nor task, not yet or not any more.
 */
export type Chapter = Notification | { readonly kind: 'waiting' | 'told' | 'untold' | 'missing' };

/** Tells the story of a task from any number on: from its log, and by the Task as it is where the log does not say. */
export class Story {
  /** Number up to which the log is known to hold nothing to tell after the cursor. */
  #passed = 0;
  readonly #traces: MessageTraces;

  constructor(
    private readonly taskId: string,
    private readonly queue: QueueManager,
    private readonly reader: TaskReader,
    private readonly artifactUpdates: ResolvedPushOptions['artifactUpdates'],
  ) {
    this.#traces = new MessageTraces(taskId, queue);
  }

  /** The trace context of the call that a notification belongs to. */
  traceOf({ taken }: Notification): Promise<TraceContext | undefined> {
    return this.#traces.of(taken);
  }

  async next({ cursor, pending }: Pick<DeliveryState, 'cursor' | 'pending'>): Promise<Chapter> {
    if (cursor === undefined) return (await this.#snapshot(pending)) ?? this.#unpublished();
    const after = Math.max(cursor, this.#passed);
    const records = this.#records(after);
    try {
      let record: IteratorResult<LogRecord, undefined> = await records.next();
      if (record.done) return await this.#atEnd(cursor, after, pending);
      // Records are numbered one by one, so some are gone.
      if (record.value.sequence > after + 1) return (await this.#snapshot()) ?? { kind: 'waiting' };
      for (; !record.done; record = await records.next()) {
        this.#traces.note(record.value);
        const chapter = await this.#tell(record.value, records, pending);
        if (chapter) return chapter;
        this.#passed = record.value.sequence;
      }
      return { kind: 'waiting' };
    } finally {
      await records.return(undefined);
    }
  }

  /** What the record is told as; undefined when it is nothing of its own. */
  async #tell(
    { sequence, event, taken }: LogRecord,
    rest: AsyncGenerator<LogRecord, undefined>,
    pending: number | undefined,
  ): Promise<Chapter | undefined> {
    if (!event) return undefined;
    if ('error' in event || event.message) return { kind: 'untold' };
    if (event.artifactUpdate)
      return this.#tellChunk({ sequence, taken }, event.artifactUpdate, rest, pending);
    const status = (event.statusUpdate ?? event.task)?.status;
    const last = status !== undefined && isTerminal(status.state);
    if (last && this.artifactUpdates === 'final' && (await this.#hasOpenArtifacts(sequence))) {
      const task = await this.#snapshot();
      if (task) return task;
    }
    const more = !last && !(await rest.next()).done;
    return { kind: 'notification', sequence, snapshot: false, event, last, more, taken };
  }

  async #tellChunk(
    { sequence, taken }: Place,
    update: TaskArtifactUpdateEvent,
    rest: AsyncGenerator<LogRecord, undefined>,
    pending: number | undefined,
  ): Promise<Chapter | undefined> {
    if (this.artifactUpdates === 'final') {
      if (!update.lastChunk) return undefined;
      const { append, ...whole } = update;
      const artifact = append ? await this.#artifact(update.artifact.artifactId) : undefined;
      const event = { artifactUpdate: artifact ? { ...whole, artifact } : update };
      return this.#chunks({ sequence, taken }, event, !(await rest.next()).done);
    }
    if (this.artifactUpdates === 'all')
      return this.#chunks({ sequence, taken }, { artifactUpdate: update }, !(await rest.next()).done);
    const run = new ChunkRun(sequence, update, pending);
    for (let record = await rest.next(); !record.done; record = await rest.next()) {
      const { event, sequence: number } = record.value;
      if (event && ('error' in event || !run.add(number, event)))
        return this.#chunks({ sequence: run.sequence, taken }, run.event, true);
    }
    return this.#chunks({ sequence: run.sequence, taken }, run.event, false);
  }

  #chunks(place: Place, event: StreamResponse, more: boolean): Notification {
    return { kind: 'notification', ...place, snapshot: false, event, last: false, more };
  }

  /** The log holds nothing after the number that was read from. */
  async #atEnd(cursor: number, after: number, pending: number | undefined): Promise<Chapter> {
    const head = await this.queue.head(this.taskId);
    if (head && head.sequence >= after) {
      if (head.firstSequence > after + 1) return (await this.#snapshot()) ?? { kind: 'waiting' };
      return { kind: head.closed && head.sequence === after ? 'told' : 'waiting' };
    }
    this.#passed = 0;
    const task = await this.#snapshot();
    if (!task) return { kind: head ? 'waiting' : 'missing' };
    // The task began while it was looked for: its log tells more.
    if (!head && (await this.queue.head(this.taskId))) return this.next({ cursor, pending });
    // The end of a story that is open was not told, whatever number it has: of a log that was lost, less may have been saved than was told.
    if (task.sequence > cursor || (task.last && task.sequence < cursor)) return task;
    return { kind: task.last ? 'told' : 'waiting' };
  }

  /** The Task as it is; after an attempt that may have arrived, as it was then. */
  async #snapshot(pending?: number): Promise<Notification | undefined> {
    const then = pending === undefined ? undefined : await this.#asOf(pending);
    const record = then ?? (await this.reader.get(this.taskId));
    if (!record) return undefined;
    const { task, sequence } = record;
    const last = isTerminal(task.status.state);
    return { kind: 'notification', sequence, snapshot: true, event: { task }, last, more: false };
  }

  /** Undefined when the log does not tell it from the beginning. */
  async #asOf(sequence: number): Promise<Pick<TaskRecord, 'task' | 'sequence'> | undefined> {
    const projection = new TaskProjection();
    for await (const record of this.#records(0)) {
      if (record.sequence > sequence || record.sequence !== projection.sequence + 1) break;
      applyRecord(projection, record);
    }
    const isThere = projection.published && projection.sequence === sequence;
    return isThere ? { task: projection.snapshot(), sequence } : undefined;
  }

  async #unpublished(): Promise<Chapter> {
    return { kind: (await this.queue.head(this.taskId)) ? 'waiting' : 'missing' };
  }

  async #artifact(artifactId: string): Promise<Artifact | undefined> {
    const task: Task | undefined = (await this.reader.get(this.taskId))?.task;
    return task?.artifacts?.find((artifact) => artifact.artifactId === artifactId);
  }

  /** Whether chunks of artifacts that never had a last one were passed over. */
  async #hasOpenArtifacts(until: number): Promise<boolean> {
    const open = new Set<string>();
    for await (const { sequence, event } of this.#records(0)) {
      if (sequence >= until) break;
      if (!event || 'error' in event || !event.artifactUpdate) continue;
      const { artifact, lastChunk } = event.artifactUpdate;
      if (lastChunk) open.delete(artifact.artifactId);
      else open.add(artifact.artifactId);
    }
    return open.size > 0;
  }

  async *#records(after: number): AsyncGenerator<LogRecord, undefined> {
    for (let cursor = after; ;) {
      const page = await this.queue.read(this.taskId, cursor, PAGE);
      yield* page;
      if (page.length < PAGE) return undefined;
      cursor = page.at(-1)!.sequence;
    }
  }
}
