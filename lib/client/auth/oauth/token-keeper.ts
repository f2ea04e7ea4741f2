import { untilAborted } from '../../until-aborted.js';
import type { Secret } from '../secret.js';
import type { TokenSet } from './token-set.js';

/**
 * Gets tokens, of the previous ones where there are some.
 * @param abandoned aborts when nobody waits for them any more.
 */
export type ObtainTokens = (previous: TokenSet | undefined, abandoned: AbortSignal) => Promise<TokenSet>;

interface Flight {
  readonly result: Promise<TokenSet>;
  readonly abandoned: AbortController;
  waiting: number;
}

/** The tokens for one purpose: kept until shortly before they expire or are refused, and got once for all who need them. */
export class TokenKeeper {
  #current: TokenSet | undefined;
  /** The tokens that the peer refused, although they should do. */
  #refused: TokenSet | undefined;
  #flight: Flight | undefined;
  /** Of the last flight, which everybody may have left: the next one begins after it, so that no refresh token is used twice. */
  #landed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly obtain: ObtainTokens,
    private readonly now: () => number = Date.now,
  ) {}

  /** Throws what getting them throws, and the signal's reason; others go on waiting then. */
  async token(signal?: AbortSignal): Promise<Secret> {
    return (this.#usable() ?? (await this.#join(signal))).accessToken;
  }

  /** Gets others in the place of a refused one, unless somebody did. True when there is another now. */
  async renew(refused: Secret, signal?: AbortSignal): Promise<boolean> {
    if (this.#current?.accessToken.equals(refused)) this.#refused = this.#current;
    return !(await this.token(signal)).equals(refused);
  }

  #usable(): TokenSet | undefined {
    const current = this.#current;
    return current && current !== this.#refused && this.now() < current.usableUntil ? current : undefined;
  }

  async #join(signal: AbortSignal | undefined): Promise<TokenSet> {
    const flight = (this.#flight ??= this.#start());
    flight.waiting += 1;
    try {
      return await untilAborted(flight.result, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) this.#leave(flight);
    }
  }

  #start(): Flight {
    const abandoned = new AbortController();
    const result = this.#landed.then(() => this.#fly(abandoned.signal));
    const flight = { result, abandoned, waiting: 0 };
    this.#landed = result.catch(() => {});
    return flight;
  }

  async #fly(abandoned: AbortSignal): Promise<TokenSet> {
    const usable = this.#usable();
    if (usable) return usable;
    this.#current = await this.obtain(this.#current, abandoned);
    return this.#current;
  }

  #leave(flight: Flight): void {
    if (this.#flight === flight) this.#flight = undefined;
    flight.abandoned.abort();
  }
}
