import { setTimeout as sleep } from 'node:timers/promises';
import { doublingPause, WITHIN } from '../../interfaces/doubling-pause.js';

/** Pauses that double with every attempt in vain. */
export class Backoff {
  #attempts = 0;

  constructor(
    private readonly initialMs: number,
    private readonly maxMs: number,
  ) {}

  /** Attempts since the last reset. */
  get count(): number {
    return this.#attempts;
  }

  reset(): void {
    this.#attempts = 0;
  }

  /**
   * Waits before the next attempt. Rejects with the signal's reason.
   * @param atLeastMs what the peer asked for.
   * @param atMostMs what there is time for.
   */
  async wait(signal?: AbortSignal, atLeastMs = 0, atMostMs = Infinity): Promise<void> {
    this.#attempts += 1;
    const own = doublingPause(this.#attempts, this.initialMs, this.maxMs, WITHIN);
    const pause = Math.min(Math.max(own, atLeastMs), atMostMs);
    try {
      await sleep(pause, undefined, signal && { signal });
    } catch {
      signal?.throwIfAborted();
    }
  }
}
