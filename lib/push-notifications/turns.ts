/** What is done in a turn, which lasts until the promise settles; it must not reject. */
type Go = () => Promise<void>;

/** Those who want to go to one place. */
interface Line {
  active: number;
  readonly waiting: Go[];
}

/**
 * Bounds how many go at a time, in all and to each place. Of the places that somebody waits for, each has its turn; who waits for one that
 * is slow holds up nobody who goes elsewhere.
 */
export class Turns {
  readonly #lines = new Map<string, Line>();
  #active = 0;

  constructor(
    private readonly limit: number,
    private readonly limitPerPlace: number,
  ) {}

  /** Does the work when its turn has come. Within one place, who comes first goes first. */
  take<T>(place: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.wait(place, () => work().then(resolve, reject));
    });
  }

  /** Calls when the turn has come. Nothing but `go` is kept meanwhile. */
  wait(place: string, go: Go): void {
    const line = this.#lines.get(place);
    if (line) line.waiting.push(go);
    else this.#lines.set(place, { active: 0, waiting: [go] });
    if (this.#active < this.limit) this.#next();
  }

  #leave(place: string, line: Line): void {
    this.#active -= 1;
    line.active -= 1;
    if (line.active === 0 && line.waiting.length === 0) this.#lines.delete(place);
    this.#next();
  }

  #next(): void {
    for (const [place, line] of this.#lines) {
      if (this.#active >= this.limit) return;
      if (line.active >= this.limitPerPlace) continue;
      const go = line.waiting.shift();
      if (!go) continue;
      this.#active += 1;
      line.active += 1;
      // To the end of the round.
      this.#lines.delete(place);
      this.#lines.set(place, line);
      void go().then(() => this.#leave(place, line));
    }
  }
}
