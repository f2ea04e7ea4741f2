import type { AbandonedQuery } from '../interfaces/queue-manager.js';
import type { DueEntry, DueIndex } from './due-index.js';

/** Entries that are looked at together. */
const PAGE = 128;
/** Age at which an entry that no head names is left over for certain, in ms: whoever made it would have finished or failed. */
const LEFTOVER_MS = 60_000;

/** The entry that stands for the log, when its lease expires (0: nobody holds it), when the last command came (0: none waits), and now. */
type Inspected = readonly [due: string, expires: number, commandAt: number, now: number];

/** Looks after the logs that the index says are due, and tidies the index by what their heads say. */
export class AbandonedLogs {
  constructor(
    private readonly index: DueIndex,
    private readonly inspect: (taskId: string) => Promise<unknown>,
  ) {}

  async find({ queuedBefore, limit }: AbandonedQuery): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let offset = 0; ids.length < limit;) {
      const entries = await this.index.overdue(offset, PAGE);
      if (entries.length === 0) break;
      const found = await Promise.all(entries.map((entry) => this.#look(entry, queuedBefore)));
      ids.push(...entries.filter((_, i) => found[i] === 'abandoned').map(({ taskId }) => taskId));
      offset += found.filter((what) => what !== 'moved').length;
    }
    return ids.slice(0, limit);
  }

  async #look(
    { taskId, request, overdueMs }: DueEntry,
    queuedBefore: number,
  ): Promise<'abandoned' | 'stays' | 'moved'> {
    const [due, expires, commandAt, now] = (await this.inspect(taskId)) as Inspected;
    if (due !== request) {
      if (overdueMs < LEFTOVER_MS) return 'stays';
      this.index.drop(taskId, request);
      return 'moved';
    }
    if (expires > now) {
      await this.index.move(taskId, request, expires - now);
      return 'moved';
    }
    if (expires > 0) return 'abandoned';
    return commandAt > 0 && commandAt < queuedBefore ? 'abandoned' : 'stays';
  }
}
