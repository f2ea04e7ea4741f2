/** Does something now and then, one at a time, at a pace that differs a little from process to process. */
export class PacedTimer {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  /** @param everyMs from the end of one to the beginning of the next, give or take a fifth; 0 never. */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** The first time is now. */
  start(): void {
    if (this.#stopped || this.everyMs <= 0) return;
    this.#running = this.work()
      .catch(this.onError)
      .finally(() => {
        this.#running = undefined;
        if (this.#stopped) return;
        this.#timer = setTimeout(() => this.start(), this.everyMs * (0.8 + 0.4 * Math.random()));
        this.#timer.unref();
      });
  }

  /** Resolves when nothing of it goes on any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
