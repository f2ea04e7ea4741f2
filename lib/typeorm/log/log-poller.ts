import { Logger } from '@nestjs/common';
import type { LogMark, LogWatchers } from './log-watchers.js';

const logger = new Logger('A2A');

/** How much longer each pause is than the one before, while nothing changes. */
const SLOWDOWN = 1.5;
/** Longest pause, in terms of the shortest. */
const LONGEST = 10;
/** Pause where the database notifies and a look is only for what may have been lost, in ms. */
const SAFETY_MS = 5_000;

/**
 * Looks at the heads of all watched logs, one look at a time however many readers there are: often while something changes, less often while
 * nothing does, and not at all while nothing is watched.
 */
export class LogPoller {
  #timer: NodeJS.Timeout | undefined;
  #pause: number;
  #looking: Promise<void> | undefined;
  #notified = false;
  #failed = false;
  #stopped = false;

  constructor(
    private readonly watchers: LogWatchers,
    private readonly look: (taskIds: readonly string[]) => Promise<ReadonlyMap<string, LogMark>>,
    private readonly pollMs: number,
  ) {
    this.#pause = pollMs;
  }

  /** Whether the database tells of changes, so that looking is the exception. */
  set notified(notified: boolean) {
    this.#notified = notified;
    this.hurry();
  }

  /** Looks soon: something new is watched. */
  hurry(): void {
    this.#pause = this.#notified ? SAFETY_MS : this.pollMs;
    if (!this.#notified || !this.#timer) this.#schedule();
  }

  /** Resolves when the last look is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#stopped || this.#looking || this.watchers.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#looking = this.#tick().finally(() => {
        this.#looking = undefined;
        this.#schedule();
      });
    }, this.#pause);
  }

  async #tick(): Promise<void> {
    const watched = this.watchers.watched();
    // Whoever begins to watch meanwhile shortens it again.
    this.#pause = this.#notified ? SAFETY_MS : Math.min(this.#pause * SLOWDOWN, this.pollMs * LONGEST);
    try {
      const marks = await this.look([...watched.keys()]);
      let changed = false;
      for (const [taskId, log] of watched) if (this.watchers.compare(log, marks.get(taskId))) changed = true;
      if (changed && !this.#notified) this.#pause = this.pollMs;
      this.#failed = false;
    } catch (error) {
      if (!this.#failed && !this.#stopped)
        logger.warn(`The database cannot be asked for new events: ${String(error)}`);
      this.#failed = true;
    }
  }
}
