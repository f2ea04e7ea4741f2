import type { ConnectionOptions } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import type { UrlGuard } from '../../interfaces/url-guard.js';
import { ClientClosedError } from '../client-errors.js';
import { Exchange, type ExchangeLimits, type HttpRequest } from './exchange.js';
import { refuseUnsafe, safeLookup } from './link-local.js';

/** TLS of a client's connections: whom it trusts, and the certificate that it shows (mTLS). */
export type ClientTlsOptions = Pick<
  ConnectionOptions,
  | 'ca'
  | 'cert'
  | 'key'
  | 'passphrase'
  | 'pfx'
  | 'servername'
  | 'minVersion'
  | 'ciphers'
  | 'rejectUnauthorized'
>;

/** How a client reaches its peer. */
export interface ConnectionPoolOptions {
  /** Connections to use instead of the client's own, as of a proxy. They are the caller's to close. */
  readonly dispatcher?: Dispatcher;
  /** Has every connection checked, for cards of strangers. Its connections are used instead of the client's own. */
  readonly guard?: UrlGuard;
  /** For the client's own connections. */
  readonly tls?: ClientTlsOptions;
  /** Most bytes of an answer that is no stream. Default 10 485 760. */
  readonly maxAnswerBytes?: number;
  /** Most characters of one event of a stream. Default 10 485 760. */
  readonly maxEventLength?: number;
}

const MEBIBYTE = 1024 * 1024;

/** The connections of one client, kept alive between calls. */
export class HttpPool {
  readonly maxAnswerBytes: number;
  readonly maxEventLength: number;
  readonly #underWay = new Set<Exchange>();
  readonly #own: Agent | undefined;
  readonly #dispatcherFor: (request: HttpRequest) => Dispatcher;
  #closed = false;

  /**
   * Throws TypeError for options that contradict each other.
   * @param connectMs when to give up on a connection that nobody waits for any more.
   */
  constructor(options: ConnectionPoolOptions = {}, connectMs = 10_000) {
    const { dispatcher, guard, tls } = options;
    if ([dispatcher, guard, tls].filter((option) => option !== undefined).length > 1) {
      throw new TypeError('Give one of dispatcher, guard and tls: each says whose connections are used');
    }
    this.maxAnswerBytes = options.maxAnswerBytes ?? 10 * MEBIBYTE;
    this.maxEventLength = options.maxEventLength ?? 10 * MEBIBYTE;
    if (guard) {
      this.#dispatcherFor = ({ origin, path }) => guard.dispatcherFor(origin + path);
    } else {
      const used = dispatcher ?? new Agent({ connect: { ...tls, timeout: connectMs, lookup: safeLookup } });
      if (!dispatcher) this.#own = used as Agent;
      this.#dispatcherFor = () => used;
    }
  }

  /** Resolves when the head of the answer is there. Throws as Exchange.open() does, UnsafeUrlError, and ClientClosedError. */
  async send(request: HttpRequest, limits: ExchangeLimits): Promise<Exchange> {
    if (this.#closed) throw new ClientClosedError('The client is closed');
    refuseUnsafe(request.origin);
    return Exchange.open(this.#dispatcherFor(request), request, limits, this.#underWay);
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#underWay) exchange.abort(new ClientClosedError('The client was closed'));
    await this.#own?.destroy();
  }
}
