import { ResourceExhaustedError, UnavailableError } from '../protocol/errors.js';

const RETRY_AFTER_SECONDS = 5;

/** How many there may be at one time; 0 is no limit. */
export interface SlotLimits {
  readonly perOwner: number;
  readonly total: number;
}

/** Counts what goes on in this process, and for whom. */
export class OwnerSlots {
  readonly #byOwner = new Map<string, { count: number }>();
  #total = 0;

  /** @param what in the plural, as callers should read it. */
  constructor(
    private readonly what: string,
    private readonly limits: SlotLimits,
  ) {}

  /** How many there are now. */
  get size(): number {
    return this.#total;
  }

  /** As enter(), where there is room. Throws ResourceExhaustedError when the owner has as many as one may, UnavailableError when the process has. */
  take(owner: string): () => void {
    const { perOwner, total } = this.limits;
    if (perOwner > 0 && (this.#byOwner.get(owner)?.count ?? 0) >= perOwner) {
      throw new ResourceExhaustedError(
        `You have ${perOwner} ${this.what} at the moment, which is the most; try again when one of them has ended`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS, metadata: { limit: String(perOwner) } },
      );
    }
    if (total > 0 && this.#total >= total) {
      throw new UnavailableError(`The agent has as many ${this.what} as it can serve; try again later`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return this.enter(owner);
  }

  /** Counts one, whether there is room or not, until the answered function is called; to call that again does nothing. */
  enter(owner: string): () => void {
    const owned = this.#byOwner.get(owner) ?? { count: 0 };
    if (owned.count === 0) this.#byOwner.set(owner, owned);
    owned.count += 1;
    this.#total += 1;
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#total -= 1;
      owned.count -= 1;
      if (owned.count === 0) this.#byOwner.delete(owner);
    };
  }
}
