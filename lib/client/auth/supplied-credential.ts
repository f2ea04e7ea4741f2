import type { Credential, CredentialKind, CredentialQuery } from './credential.js';
import { namedOrigins } from './origins.js';
import { Secret } from './secret.js';

/** Who may get a credential. */
export interface CredentialOptions {
  /** The only origins that get it, https or of this machine. Default: that of the URL which the client was made with, and its `trustedOrigins`. */
  readonly origins?: readonly string[];
}

/** What a function that supplies tokens or keys is asked for. */
export interface SupplyQuery extends CredentialQuery {
  /** The peer refused what the function gave last: do not give the same from a cache. */
  readonly refused: boolean;
}

/** Gives a token or key. Called for every exchange: keep what is costly to get. */
export type Supplier = (query: SupplyQuery) => string | Promise<string>;

/** A token or key that the application gives, once or whenever one is needed. */
export class SuppliedCredential implements Credential {
  readonly origins?: readonly string[];
  readonly #supply: Supplier;
  readonly #isFixed: boolean;
  /** Renewals under way by what was refused: callers in the name of others have other tokens. */
  readonly #renewals = new Map<string, Promise<boolean>>();

  /** Throws TypeError for an empty text, or origins that are none. */
  constructor(
    readonly kind: CredentialKind,
    source: string | Supplier,
    { origins }: CredentialOptions = {},
  ) {
    if (origins) this.origins = namedOrigins(origins, 'origins');
    this.#isFixed = typeof source !== 'function';
    const fixed = typeof source === 'function' ? undefined : new Secret(filled(source));
    this.#supply = typeof source === 'function' ? source : () => fixed!.reveal();
  }

  async value(query: CredentialQuery): Promise<Secret> {
    return this.#ask(query, false);
  }

  /** One for all calls that the same value was refused for. */
  renew(query: CredentialQuery, refused: Secret): boolean | Promise<boolean> {
    if (this.#isFixed) return false;
    const key = refused.reveal();
    const running = this.#renewals.get(key);
    if (running) return running;
    const renewal = this.#renew(query, refused).finally(() => this.#renewals.delete(key));
    this.#renewals.set(key, renewal);
    return renewal;
  }

  /** Somebody may have renewed it already. */
  async #renew(query: CredentialQuery, refused: Secret): Promise<boolean> {
    if (!(await this.#ask(query, false)).equals(refused)) return true;
    return !(await this.#ask(query, true)).equals(refused);
  }

  async #ask(query: CredentialQuery, refused: boolean): Promise<Secret> {
    return new Secret(filled(await this.#supply({ ...query, refused })));
  }
}

function filled(text: unknown): string {
  if (typeof text === 'string' && text !== '') return text;
  throw new TypeError('A credential is empty, or no text: is the variable set that it is read from?');
}
