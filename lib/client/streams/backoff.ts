import { setTimeout as sleep } from 'node:timers/promises';

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
   * Waits before the next attempt: between half and all of the longest pause, so that clients which lost one server do not come back at once.
   * Rejects with the signal's reason.
   * @param atLeastMs what the peer asked for.
   * @param atMostMs what there is time for.
   */
  async wait(signal?: AbortSignal, atLeastMs = 0, atMostMs = Infinity): Promise<void> {
    const longest = Math.min(this.initialMs * 2 ** this.#attempts, this.maxMs);
    this.#attempts += 1;
    const pause = Math.min(Math.max(longest * (0.5 + Math.random() / 2), atLeastMs), atMostMs);
    try {
      await sleep(pause, undefined, signal && { signal });
    } catch {
      signal?.throwIfAborted();
    }
  }
}
