import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEvent, LogRecord, QueueManager } from '../../../lib/interfaces/queue-manager.js';
import { chunkEvent, statusEvent, textOf } from '../../contracts/samples.js';

/** Reads a log to its end as a stream does: only when it was woken. What fails is put down in `errors`, and done again. */
export async function follow(queue: QueueManager, id: string, errors: unknown[] = []): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  let changed = true;
  let wake = (): void => {};
  const unwatch = queue.watch(id, () => {
    changed = true;
    wake();
  });
  try {
    for (;;) {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      changed = false;
      try {
        const records = await queue.read(id, all.at(-1)?.sequence ?? 0);
        all.push(...records);
        if (isEnd(all.at(-1)?.event)) return all;
        if (records.length > 0) changed = true;
      } catch (error) {
        errors.push(error);
        changed = true;
        await sleep(5);
      }
    }
  } finally {
    unwatch();
  }
}

/** Chunks with the numbers from 0, in batches of 1 to 20, and the end of the task. */
export function batches(id: string, count: number): LogEvent[][] {
  const all: LogEvent[][] = [];
  for (let next = 0, size = 1; next < count; size = (size % 20) + 1) {
    const batch = Array.from({ length: Math.min(size, count - next) }, (_, i) =>
      chunkEvent(id, `${next + i}`),
    );
    all.push(batch);
    next += batch.length;
  }
  return [...all, [statusEvent(id, 'TASK_STATE_COMPLETED')]];
}

/** The numbers of the chunks in a log. */
export function chunksOf(records: readonly LogRecord[]): number[] {
  return records.flatMap(({ event }) => textOf(event) ?? []).map(Number);
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function isEnd(event: LogEvent | undefined): boolean {
  return event !== undefined && 'statusUpdate' in event && event.statusUpdate !== undefined;
}
