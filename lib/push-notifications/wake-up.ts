/** Wakes whoever sleeps; who is called while awake does not fall asleep the next time. */
export class WakeUp {
  #called = false;
  #wake: (() => void) | undefined;

  call(): void {
    this.#called = true;
    this.#wake?.();
  }

  /** Resolves when called, or after some ms. One sleeper at a time. */
  async sleep(ms?: number): Promise<void> {
    if (!this.#called) {
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        timer?.unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#called = false;
    this.#wake = undefined;
  }
}
