import type { Dispatcher } from 'undici';

/** A URL that must not be fetched, and why: `reason` may be shown to whoever gave it. */
export class UnsafeUrlError extends Error {
  constructor(
    /** As in "leads to an address that is not public". Names no address that a resolver told. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`The URL is refused: it ${reason}`, options);
    this.name = 'UnsafeUrlError';
  }
}

/** The other side did not answer in time, too much, or not at all. */
export class UrlFetchError extends Error {
  override readonly name = 'UrlFetchError';
}

export interface UrlFetchOptions {
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Most bytes of the answer's body. Default: the guard's. */
  readonly maxBytes?: number;
  /** For the whole exchange, in ms. Default: the guard's. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** An answer as it came. Redirects are not followed: a 302 is an answer like any other. */
export interface UrlAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Every URL that somebody else gave passes it before this process connects to it: webhooks, `url` parts, keys of a card's signer.
 *
 * @publicApi
 */
export abstract class UrlGuard {
  /**
   * Looks at a URL before it is kept. One whose host has no address at present is let through: `fetch` decides when it is used.
   * @throws UnsafeUrlError
   */
  abstract check(url: string): Promise<void>;

  /**
   * Sends a request to an address that was checked.
   * @throws UnsafeUrlError where the URL is not to be fetched, UrlFetchError where the exchange failed or broke a limit, the signal's reason
   *   where it was aborted, TypeError for headers that HTTP does not allow.
   */
  abstract fetch(url: string, options?: UrlFetchOptions): Promise<UrlAnswer>;

  /**
   * For whoever needs more than fetch(), as a stream: connections to the URL's host, each to an address that is checked as it is made. They
   * are the guard's, to be shared and not to be closed. Requests fail with UnsafeUrlError where an address turns out not to be public.
   * @throws UnsafeUrlError
   */
  abstract dispatcherFor(url: string): Dispatcher;
}
