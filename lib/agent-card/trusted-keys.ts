import type { JWK } from 'jose';
import { badNumbers } from '../interfaces/bad-numbers.js';
import type { JsonWebKey } from '../interfaces/card-signing.js';
import type { UrlGuard } from '../interfaces/url-guard.js';

/** Public keys, as a list or as a JWKS document. */
export type TrustedKeys = readonly JsonWebKey[] | { readonly keys: readonly JsonWebKey[] };

/** Which keys may speak for a card. */
export interface TrustedKeysOptions {
  readonly keys?: TrustedKeys;
  /** Where keys may be fetched from when a signature names the place (`jku`): whole URLs, or origins for all that is on them. https only. */
  readonly jku?: readonly string[];
  /** Fetches the keys; needed with `jku`. */
  readonly guard?: Pick<UrlGuard, 'fetch'>;
  /** How long fetched keys are used, in ms. Default 600 000. */
  readonly cacheMs?: number;
}

interface FetchedKeys {
  readonly keys: readonly JWK[];
  readonly at: number;
}

const CACHE_MS = 600_000;
/** Keys that were just fetched are not fetched again for a kid that nobody knows. */
const REFETCH_MS = 30_000;
const MAX_URLS = 32;
const MAX_BYTES = 256 * 1024;

/** Finds the keys that a signature's header names, among those that are trusted. */
export class TrustedKeySet {
  readonly #own: readonly JWK[];
  readonly #places: readonly string[];
  readonly #fetched = new Map<string, FetchedKeys>();

  /** Throws TypeError for a place that is not https, and for a number that is none. */
  constructor(private readonly options: TrustedKeysOptions) {
    const { keys = [], jku = [], guard, cacheMs } = options;
    this.#own = (isList(keys) ? keys : keys.keys) as readonly JWK[];
    this.#places = jku.map(toPlace);
    const [problem] = badNumbers({ cacheMs });
    if (problem !== undefined) throw new TypeError(problem);
    if (jku.length > 0 && !guard) throw new TypeError('Keys of a jku are fetched through a guard: give one');
  }

  /** Without any where none is trusted. Rejects where they cannot be fetched. */
  async find(kid: string, alg: string, jku: unknown): Promise<readonly JWK[]> {
    const own = matching(this.#own, kid, alg);
    if (own.length > 0 || typeof jku !== 'string' || !this.#trusts(jku)) return own;
    const known = this.#fetched.get(jku);
    const age = known ? Date.now() - known.at : Infinity;
    const found = known && age < (this.options.cacheMs ?? CACHE_MS) ? matching(known.keys, kid, alg) : [];
    if (found.length > 0 || age < REFETCH_MS) return found;
    return matching(await this.#fetch(jku), kid, alg);
  }

  /** As written in the list, to the letter: no two spellings of a URL are taken for the same. */
  #trusts(jku: string): boolean {
    if (!jku.startsWith('https://') || !URL.canParse(jku)) return false;
    const { href, origin, username, password } = new URL(jku);
    if (username !== '' || password !== '') return false;
    return this.#places.includes(href) || this.#places.includes(origin);
  }

  async #fetch(jku: string): Promise<readonly JWK[]> {
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const answer = await this.options.guard!.fetch(jku, { headers, maxBytes: MAX_BYTES });
    if (answer.status !== 200) throw new Error(`The keys at ${jku} answered ${answer.status}`);
    const { keys } = JSON.parse(Buffer.from(answer.body).toString()) as { keys?: unknown };
    if (!Array.isArray(keys)) throw new Error(`What is at ${jku} is no JWKS`);
    const [oldest] = this.#fetched.keys();
    if (oldest !== undefined && this.#fetched.size >= MAX_URLS) this.#fetched.delete(oldest);
    this.#fetched.set(jku, { keys: keys as JWK[], at: Date.now() });
    return keys as JWK[];
  }
}

/** Array.isArray does not know readonly arrays. */
function isList(keys: TrustedKeys): keys is readonly JsonWebKey[] {
  return Array.isArray(keys);
}

function toPlace(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') throw new TypeError(`Keys are fetched over https only, not from ${text}`);
  return text === url.origin || text === `${url.origin}/` ? url.origin : url.href;
}

function matching(keys: readonly JWK[], kid: string, alg: string): readonly JWK[] {
  return keys.filter(
    (key) =>
      key?.kid === kid &&
      (key.alg === undefined || key.alg === alg) &&
      (key.use === undefined || key.use === 'sig'),
  );
}
