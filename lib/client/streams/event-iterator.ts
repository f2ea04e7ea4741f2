import type { StreamResponse } from '../../protocol/model.js';
import { onAbort } from '../on-abort.js';

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Iterates over events that come from a connection. Nothing begins before the first is asked for, and leaving ends a read that is pending, which a
 * generator alone would wait for.
 */
export class EventIterator implements AsyncIterableIterator<StreamResponse, undefined, void> {
  readonly #leaving = new AbortController();
  readonly #events: AsyncGenerator<StreamResponse, undefined, void>;
  #left = false;

  /**
   * @param start called with the first read; its parameter ends whatever is under way.
   * @param signal ends the iteration with its reason.
   */
  constructor(
    start: (leaving: AbortController) => AsyncIterable<StreamResponse>,
    signal: AbortSignal | undefined,
  ) {
    this.#events = run(start, this.#leaving, signal);
  }

  async next(): Promise<IteratorResult<StreamResponse, undefined>> {
    try {
      return this.#left ? END : await this.#events.next();
    } catch (error) {
      if (this.#left) return END;
      throw error;
    }
  }

  async return(): Promise<IteratorResult<StreamResponse, undefined>> {
    this.#left = true;
    this.#leaving.abort();
    return this.#events.return(undefined);
  }

  async throw(error?: unknown): Promise<IteratorResult<StreamResponse, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}

async function* run(
  start: (leaving: AbortController) => AsyncIterable<StreamResponse>,
  leaving: AbortController,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamResponse, undefined, void> {
  signal?.throwIfAborted();
  const stopListening = signal && onAbort(signal, () => leaving.abort(signal.reason));
  try {
    yield* start(leaving);
  } finally {
    stopListening?.();
  }
  return undefined;
}
