import type { QueueManager } from '../interfaces/queue-manager.js';

/** Waits for changes of one log. Made before the log is read, so that no change is missed; disposed by its maker. */
export class LogWatch {
  readonly #unwatch: () => void;
  #changed = false;
  #wake: (() => void) | undefined;

  constructor(queue: QueueManager, taskId: string) {
    this.#unwatch = queue.watch(taskId, () => {
      this.#changed = true;
      this.#wake?.();
    });
  }

  /** Resolves at the next change since the last call, or after `timeoutMs`. */
  async next(timeoutMs: number): Promise<void> {
    if (!this.#changed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, timeoutMs));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#changed = false;
  }

  dispose(): void {
    this.#unwatch();
    this.#wake?.();
  }
}
