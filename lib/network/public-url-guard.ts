import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent } from 'undici';
import { UnsafeUrlError, UrlGuard, type UrlAnswer, type UrlFetchOptions } from '../interfaces/url-guard.js';
import type { UrlGuardOptions } from '../interfaces/url-guard-options.js';
import { allowedHosts, checkUrlText } from './checked-url.js';
import { exchange } from './exchange.js';
import { isPublicAddress } from './is-public-address.js';

/**
 * Lets through what is on the public internet. A name is resolved once, all its addresses are checked, and the connection goes to one of
 * these: a resolver that says something else the next time is not asked a next time. Redirects are not followed.
 *
 * @publicApi
 */
export class PublicUrlGuard extends UrlGuard implements OnApplicationShutdown {
  readonly #allow: ReadonlySet<string>;
  readonly #options: Required<Omit<UrlGuardOptions, 'allow'>>;
  /** One checks addresses as it connects, the other serves hosts of the allow-list. */
  readonly #checking: Agent;
  readonly #trusting: Agent;

  /** Throws TypeError for an entry of the allow-list that is no host. */
  constructor({ allow = [], ...options }: UrlGuardOptions = {}) {
    super();
    this.#allow = allowedHosts(allow);
    this.#options = {
      maxBytes: options.maxBytes ?? 10 * 1024 * 1024,
      timeoutMs: options.timeoutMs ?? 10_000,
      lookupMs: options.lookupMs ?? 2_000,
      lookup: options.lookup ?? ((hostname) => systemLookup(hostname, { all: true })),
    };
    this.#checking = agentWith((hostname) => this.#publicAddresses(hostname));
    this.#trusting = agentWith((hostname) => this.#options.lookup(hostname));
  }

  override async check(text: string): Promise<void> {
    const { host, allowed } = checkUrlText(text, this.#allow);
    if (allowed || isIP(host)) return;
    await Promise.race([this.#publicAddresses(host), this.#lookupTimeout()]).catch((error: unknown) => {
      if (error instanceof UnsafeUrlError) throw error;
    });
  }

  override async fetch(text: string, options: UrlFetchOptions = {}): Promise<UrlAnswer> {
    const { url, allowed } = checkUrlText(text, this.#allow);
    const { maxBytes, timeoutMs } = this.#options;
    const limits = { maxBytes: options.maxBytes ?? maxBytes, timeoutMs: options.timeoutMs ?? timeoutMs };
    return exchange(url, this.#agentFor(allowed), { ...options, ...limits });
  }

  override dispatcherFor(text: string): Agent {
    return this.#agentFor(checkUrlText(text, this.#allow).allowed);
  }

  /** Breaks off what is still under way. */
  async close(): Promise<void> {
    await Promise.all([this.#checking.destroy(), this.#trusting.destroy()]);
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  #agentFor(allowed: boolean): Agent {
    return allowed ? this.#trusting : this.#checking;
  }

  /** All of them: one that is not public spoils the rest, since nobody knows which a client would take. */
  async #publicAddresses(hostname: string) {
    const addresses = await this.#options.lookup(hostname);
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      throw new UnsafeUrlError('leads to an address that is not public');
    }
    return addresses;
  }

  #lookupTimeout(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#options.lookupMs).unref());
  }
}

/** undici asks the lookup for the address it then connects to. */
function agentWith(resolve: (hostname: string) => ReturnType<Required<UrlGuardOptions>['lookup']>): Agent {
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(new Error('The host has no address'), '', 0);
        else if (all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
  return new Agent({ connect: { lookup }, maxHeaderSize: 32 * 1024, connections: 16 });
}
