/** What is done in a turn, which lasts until the promise settles; it must not reject. */
type Go = () => Promise<void>;

/** A line in which so many wait is full: however slow the receiver, no more should be sent there. */
const ENOUGH = 200;
/** It is so until so few wait. */
const FEW = ENOUGH / 2;

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
  readonly #full = new Set<string>();
  #active = 0;

  /** @param onRoom called when a line is full no longer. */
  constructor(
    private readonly limit: number,
    private readonly limitPerPlace: number,
    private readonly onRoom: () => void = () => {},
  ) {}

  /** The places for which enough wait. */
  get full(): ReadonlySet<string> {
    return this.#full;
  }

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
    if (line && line.waiting.length >= ENOUGH) this.#full.add(place);
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
      if (line.waiting.length <= FEW && this.#full.delete(place)) this.onRoom();
    }
  }
}
