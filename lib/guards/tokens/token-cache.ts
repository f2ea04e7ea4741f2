import { hash } from 'node:crypto';
import type { A2AUser } from '../../interfaces/server-call-context.js';
import { keepUser } from '../../interfaces/to-user.js';

const MAX_SECONDS = 60;
const MAX_TOKENS = 10_000;

interface Entry {
  readonly user: A2AUser;
  readonly until: number;
}

/** Remembers whose token it was, for a while and never past its end. It holds the hash of a token, never the token. */
export class TokenCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxMs: number;

  /**
   * @param seconds at most 60; 0 remembers nothing.
   * @throws RangeError
   */
  constructor(
    seconds: number = MAX_SECONDS,
    private readonly now: () => number = Date.now,
  ) {
    if (!(seconds >= 0 && seconds <= MAX_SECONDS)) {
      throw new RangeError(`Tokens can be remembered for 0 to ${MAX_SECONDS} seconds, not ${seconds}`);
    }
    this.#maxMs = seconds * 1_000;
  }

  get(token: string): A2AUser | undefined {
    if (this.#maxMs === 0) return undefined;
    const key = keyOf(token);
    const entry = this.#entries.get(key);
    if (entry && entry.until > this.now()) return entry.user;
    this.#entries.delete(key);
    return undefined;
  }

  /** @param exp when the token ends, in seconds since 1970. */
  set(token: string, user: A2AUser, exp: number | undefined): void {
    const until = Math.min(this.now() + this.#maxMs, (exp ?? Infinity) * 1_000);
    if (until <= this.now()) return;
    const oldest = this.#entries.size < MAX_TOKENS ? undefined : this.#entries.keys().next().value;
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(keyOf(token), { user: keepUser(user), until });
  }
}

function keyOf(token: string): string {
  return hash('sha256', token, 'base64');
}
