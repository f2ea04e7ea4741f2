import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { SnapshotSaver } from '../../lib/execution/snapshot-saver.js';
import { TaskWriter, type WriterLimits } from '../../lib/execution/task-writer.js';
import type { Lease, LogRecord, MessageCommand, QueueManager } from '../../lib/interfaces/queue-manager.js';
import type { TaskRecord, TaskStore } from '../../lib/interfaces/task-store.js';
import type { StreamResponse, Task } from '../../lib/protocol/model.js';
import { TaskProjection } from '../../lib/protocol/task-projection.js';
import { applyRecord } from '../../lib/interfaces/log-record.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { messageCommand, originOf } from '../contracts/samples.js';
import { withFaults, type Faults } from '../contracts/with-faults.js';

export const TASK = 'task';

/** A store that remembers every snapshot it was given. */
export class RecordingTaskStore extends MemoryTaskStore {
  readonly saves: TaskRecord[] = [];

  override async save(record: TaskRecord): Promise<void> {
    this.saves.push(structuredClone(record));
    await super.save(record);
  }
}

/** A writer of a new task, with everything that stands behind it. */
export interface WriterHarness {
  readonly writer: TaskWriter;
  readonly lease: Lease;
  readonly command: MessageCommand;
  /** The writer's own line to the log. */
  readonly queue: QueueManager;
  /** The log without faults, as another process sees it. */
  readonly log: MemoryQueueManager;
  readonly store: RecordingTaskStore;
}

export interface HarnessOptions {
  readonly queueFaults?: Faults;
  readonly storeFaults?: Faults;
  readonly limits?: Partial<WriterLimits>;
}

export async function beginWriter({
  queueFaults = {},
  storeFaults = {},
  limits,
}: HarnessOptions = {}): Promise<WriterHarness> {
  const log = new MemoryQueueManager();
  const queue = withFaults<QueueManager>(log, queueFaults);
  const store = new RecordingTaskStore();
  const command = messageCommand('first');
  const origin = originOf();
  const lease = (await log.create(TASK, origin, command, { holder: 'writer', ttlMs: 60_000 }))!;
  const saver = new SnapshotSaver(withFaults<TaskStore>(store, storeFaults), origin, lease.token);
  const writer = new TaskWriter(lease, origin, new TaskProjection(undefined, 1), queue, saver, {
    runAheadEvents: 64,
    runAheadBytes: 256 * 1024,
    leaseTtlMs: 50,
    ...limits,
  });
  return { writer, lease, command, queue, log, store };
}

export async function readLog({ log }: WriterHarness): Promise<readonly LogRecord[]> {
  return log.read(TASK, 0, 100_000);
}

export async function eventsOf(harness: WriterHarness): Promise<StreamResponse[]> {
  return (await readLog(harness)).flatMap(({ event }) => (event && !('error' in event) ? [event] : []));
}

/** The task as a reader finds it that folds the log up to a number. */
export function foldTo(records: readonly LogRecord[], sequence = Infinity): Task {
  const projection = new TaskProjection();
  for (const record of records) if (record.sequence <= sequence) applyRecord(projection, record);
  return projection.snapshot();
}

/** A promise that somebody else resolves. */
export function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
