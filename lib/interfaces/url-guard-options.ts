import type { LookupAddress } from 'node:dns';

/** Finds the addresses of a host name; rejects when there are none. */
export type HostLookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Which URLs of others this process connects to, and within which limits. */
export interface UrlGuardOptions {
  /**
   * Hosts that are fetched although they are not public, as they stand in a URL: `localhost`, `10.0.0.5`, `[::1]`, with a port for that port
   * only. For development, and for webhooks inside a network. Default: none.
   */
  readonly allow?: readonly string[];
  /** Most bytes of an answer. Default 10 485 760. */
  readonly maxBytes?: number;
  /** For a whole exchange, in ms. Default 10 000. */
  readonly timeoutMs?: number;
  /** How long a name may take to resolve when a URL is only looked at, in ms; then it counts as one without an address. Default 2 000. */
  readonly lookupMs?: number;
  /** Default: the system's resolver. */
  readonly lookup?: HostLookup;
}
