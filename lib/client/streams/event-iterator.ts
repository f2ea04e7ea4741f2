import type { StreamResponse } from '../../protocol/model.js';

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Iterates over events that come from a connection. Nothing begins before the first is asked for, and leaving ends a read that is pending, which a
 * generator alone would wait for.
 */
export class EventIterator implements AsyncIterableIterator<StreamResponse, undefined, void> {
  readonly #leaving = new AbortController();
  #events: AsyncIterator<StreamResponse, undefined> | undefined;
  #over = false;

  /**
   * @param start called with the first read; its parameter ends whatever is under way.
   * @param signal ends the iteration with its reason.
   */
  constructor(
    private readonly start: (leaving: AbortController) => AsyncIterator<StreamResponse, undefined>,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async next(): Promise<IteratorResult<StreamResponse, undefined>> {
    if (this.#over) return END;
    try {
      const result = await (this.#events ??= this.#begin()).next();
      if (result.done) this.#end();
      return result;
    } catch (error) {
      // Whoever has left is told nothing more.
      if (this.#over) return END;
      this.#end();
      throw error;
    }
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

  #begin(): AsyncIterator<StreamResponse, undefined> {
    this.signal?.throwIfAborted();
    this.signal?.addEventListener('abort', this.#abort, { once: true });
    return this.start(this.#leaving);
  }

  #end(): void {
    this.#over = true;
    this.signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#leaving.abort(this.signal?.reason);
}
