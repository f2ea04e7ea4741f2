import type { StreamResponse } from '../../protocol/model.js';

/** Where events come from. */
export interface EventSource {
  /** All events, in their order. */
  events(): AsyncIterator<StreamResponse, undefined>;
  /** The next of them, where it is here already and none is being waited for. */
  take(): StreamResponse | undefined;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Iterates over events that come from a connection. Nothing begins before the first is asked for, and leaving ends a read that is pending, which a
 * generator alone would wait for.
 */
export class EventIterator implements AsyncIterableIterator<StreamResponse, undefined, void> {
  readonly #leaving = new AbortController();
  #source: EventSource | undefined;
  #events: AsyncIterator<StreamResponse, undefined> | undefined;
  /** Reads that wait. */
  #waiting = 0;
  #over = false;

  /**
   * @param start called with the first read; its parameter ends whatever is under way.
   * @param signal ends the iteration with its reason.
   */
  constructor(
    private readonly start: (leaving: AbortController) => EventSource,
    private readonly signal: AbortSignal | undefined,
  ) {}

  next(): Promise<IteratorResult<StreamResponse, undefined>> {
    const mayTake = !this.#over && this.#waiting === 0 && !this.signal?.aborted;
    const value = mayTake ? this.#source?.take() : undefined;
    return value ? Promise.resolve({ done: false, value }) : this.#wait();
  }

  async return(): Promise<IteratorResult<StreamResponse, undefined>> {
    this.#end();
    this.#leaving.abort();
    await this.#events?.return?.();
    return END;
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

  async #wait(): Promise<IteratorResult<StreamResponse, undefined>> {
    if (this.#over) return END;
    this.#waiting += 1;
    try {
      const result = await (this.#events ??= this.#begin()).next();
      if (result.done) this.#end();
      return result;
    } catch (error) {
      // Whoever has left is told nothing more.
      if (this.#over) return END;
      this.#end();
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  #begin(): AsyncIterator<StreamResponse, undefined> {
    this.signal?.throwIfAborted();
    this.signal?.addEventListener('abort', this.#abort, { once: true });
    this.#source = this.start(this.#leaving);
    return this.#source.events();
  }

  #end(): void {
    this.#over = true;
    this.signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#leaving.abort(this.signal?.reason);
}
