import { setTimeout as delay } from 'node:timers/promises';
import { isEnd } from './log-event.js';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Does something with the log or the store, again and again while it cannot be reached: a connection that breaks, or a server that restarts, is no
 * reason to give up a run. What the log refuses is thrown at once, and the last error when the time is over.
 */
export class Patience {
  constructor(
    /** How long to go on trying, in ms. */
    private readonly forMs: number,
    /** Whether there is no use in trying any more. */
    private readonly isOver: () => boolean,
  ) {}

  /** Nearly always the first try is the only one, so it costs no more than it has to. */
  do<T>(work: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + this.forMs;
    return work().catch((error: unknown) => this.#again(error, work, deadline));
  }

  async #again<T>(failure: unknown, work: () => Promise<T>, deadline: number): Promise<T> {
    let error = failure;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (isEnd(error) || this.isOver() || Date.now() + pause > deadline) throw error;
      await delay(pause);
      try {
        return await work();
      } catch (next) {
        error = next;
      }
    }
  }
}
