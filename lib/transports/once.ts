/** Keeps what was computed first, or the error that came of it. */
export class Once<T> {
  #done = false;
  #value: T | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Calls `compute` unless it is known what comes of it. */
  get(compute: () => T): T {
    if (!this.#done) {
      try {
        this.#value = compute();
      } catch (error) {
        this.#failure = { error };
      }
      this.#done = true;
    }
    if (this.#failure) throw this.#failure.error;
    return this.#value as T;
  }

  /** Replaces the value. */
  keep(value: T): void {
    this.#done = true;
    this.#failure = undefined;
    this.#value = value;
  }
}
