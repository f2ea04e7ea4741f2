import type { SendClaim } from '../interfaces/queue-manager.js';

interface Standing {
  readonly claim: SendClaim;
  readonly until: number;
}

/** Claims of message ids, each for a window. Those that have passed are dropped when new ones come, oldest first. */
export class MemoryClaims {
  readonly #standing = new Map<string, Standing>();

  /** The claim that stands: the given one, or an earlier one whose window has not passed. */
  claim(key: string, claim: SendClaim, windowMs: number, now = Date.now()): SendClaim {
    this.#dropPassed(now);
    const earlier = this.#standing.get(key);
    if (earlier && earlier.until > now) return earlier.claim;
    this.#standing.delete(key);
    this.#standing.set(key, { claim, until: now + windowMs });
    return claim;
  }

  #dropPassed(now: number): void {
    for (const [key, { until }] of this.#standing) {
      if (until > now) break;
      this.#standing.delete(key);
    }
  }
}
