import { createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const LIBRARY = fileURLToPath(new URL('../../lib/', import.meta.url));

/** The timers that the library has set and neither cleared nor seen fire, by where it set them. */
export class LibraryTimers {
  readonly #open = new Map<number, string>();
  readonly #hook = createHook({
    init: (id, type) => {
      if (type !== 'Timeout') return;
      const frame = new Error().stack?.split('\n').find((line) => line.includes(LIBRARY));
      if (frame) this.#open.set(id, frame.trim());
    },
    destroy: (id) => this.#open.delete(id),
  }).enable();

  /** Those that are left; stops looking. Node tells of a cleared timer a few turns later, and another replica may still be closing. */
  async stop(): Promise<readonly string[]> {
    for (let turn = 0; turn < 200 && this.#open.size > 0; turn++) await sleep(10);
    this.#hook.disable();
    return [...this.#open.values()];
  }
}
