/** What is to be known of a delivery to keep it here. */
export interface OpenDelivery {
  place: string;
  holder: string | undefined;
  /** In ms since the epoch. */
  heldUntil: number;
}

/** Deliveries with something yet to be told: those that are free, by where they go, and those that somebody holds. */
export class OpenDeliveries<T extends OpenDelivery> {
  /** Of each place the oldest first. A place for which very many wait is passed over in one step. */
  readonly #free = new Map<string, Set<T>>();
  readonly #held = new Set<T>();

  /** Keeps one that nobody holds, or does so no longer. */
  add(delivery: T): void {
    this.#held.delete(delivery);
    delivery.holder = undefined;
    const others = this.#free.get(delivery.place);
    if (others) others.add(delivery);
    else this.#free.set(delivery.place, new Set([delivery]));
  }

  hold(delivery: T, holder: string, until: number): void {
    if (delivery.holder === undefined) this.#unfree(delivery);
    this.#held.add(delivery);
    delivery.holder = holder;
    delivery.heldUntil = until;
  }

  delete(delivery: T): void {
    if (!this.#held.delete(delivery)) this.#unfree(delivery);
    delivery.holder = undefined;
  }

  /** Those that may be held: also what a holder did not renew in time. */
  *free(now: number, exceptTo?: ReadonlySet<string>): Iterable<T> {
    yield* [...this.#held].filter(({ heldUntil }) => heldUntil <= now);
    for (const [place, deliveries] of this.#free) if (!exceptTo?.has(place)) yield* deliveries;
  }

  heldBy(holder: string): readonly T[] {
    return [...this.#held].filter((delivery) => delivery.holder === holder);
  }

  #unfree(delivery: T): void {
    const others = this.#free.get(delivery.place);
    if (!others?.delete(delivery)) return;
    if (others.size === 0) this.#free.delete(delivery.place);
  }
}
