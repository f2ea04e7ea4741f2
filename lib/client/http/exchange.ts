import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { UnsafeUrlError } from '../../interfaces/url-guard.js';
import {
  ClientTimeoutError,
  ProtocolViolationError,
  TransportError,
  type TimeoutPhase,
} from '../client-errors.js';
import type { ExchangeTimeouts } from '../client-transport.js';
import { onAbort } from '../on-abort.js';

/** A request as it goes out. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As in `https://billing.example.com`. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The limits of an exchange, and what ends it early. */
export interface ExchangeLimits {
  readonly timeouts: ExchangeTimeouts;
  readonly signal?: AbortSignal;
}

/** Unread bytes beyond which the peer has to wait. */
const HIGH_WATER = 256 * 1024;

/** Takes a byte order mark away. */
const UTF8 = new TextDecoder();

/**
 * One request and its answer, read as it comes. It ends by itself: at the end of the body, at a limit, when the signal aborts, or by
 * `close()`, and gives the connection back or breaks it off. Follows no redirect.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0;
  headers: IncomingHttpHeaders = {};
  readonly #request: HttpRequest;
  readonly #limits: ExchangeLimits;
  readonly #chunks: Buffer[] = [];
  #unread = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #ended = false;
  #failure: unknown;
  #failed = false;
  #waiting: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #stopListening: (() => void) | undefined;
  #phase: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;

  private constructor(
    request: HttpRequest,
    limits: ExchangeLimits,
    private readonly underWay: Set<Exchange>,
  ) {
    this.#request = request;
    this.#limits = limits;
  }

  /**
   * Resolves when the head of the answer is there.
   * @param underWay holds the exchange for as long as it is.
   * @throws TransportError, ClientTimeoutError, UnsafeUrlError, the signal's reason.
   */
  static async open(
    dispatcher: Dispatcher,
    request: HttpRequest,
    limits: ExchangeLimits,
    underWay: Set<Exchange>,
  ): Promise<Exchange> {
    const exchange = new Exchange(request, limits, underWay);
    exchange.#start(dispatcher);
    while (exchange.status === 0) {
      if (exchange.#failed) throw exchange.#failure;
      await exchange.#news();
    }
    return exchange;
  }

  /** All bytes that are here, or the next to come; undefined after the last. Throws as open() does. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const bytes = this.#take();
      if (bytes) return bytes;
      if (this.#failed) throw this.#failure;
      if (this.#ended) return undefined;
      await this.#news();
    }
  }

  /** The rest of the body as text, without a byte order mark. Throws also ProtocolViolationError where it is larger than `maxBytes`. */
  async text(maxBytes: number): Promise<string> {
    const tooLarge = () => new ProtocolViolationError(`The answer is larger than ${maxBytes} bytes`);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      if (Number(this.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
      for (let chunk = await this.next(); chunk; chunk = await this.next()) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge();
        chunks.push(chunk);
      }
    } finally {
      this.close();
    }
    return UTF8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  }

  /** Breaks off what is not finished. */
  close(): void {
    this.#drop();
    if (!this.#ended && !this.#failed) this.#fail(new TransportError('The exchange was closed', this.#sent));
  }

  /** The same, for a reason; what was not read yet is dropped. */
  abort(reason: unknown): void {
    this.#drop();
    this.#fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#failed) return controller.abort(asError(this.#failure));
    this.#controller = controller;
    this.#sent = true;
    this.#limit('firstByte');
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#limit('idle');
    this.#wake?.();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > HIGH_WATER && !controller.paused) controller.pause();
    this.#wake?.();
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#settle();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(this.#explain(error));
  }

  #start(dispatcher: Dispatcher): void {
    const { signal, timeouts } = this.#limits;
    this.underWay.add(this);
    if (signal?.aborted) return this.#fail(signal.reason);
    if (signal) this.#stopListening = onAbort(signal, () => this.abort(signal.reason));
    this.#limit('connect');
    const { totalMs, leftMs = totalMs } = timeouts;
    if (totalMs > 0) this.#total = setTimeout(() => this.#timeOut('total'), leftMs);
    const { body, ...request } = this.#request;
    try {
      dispatcher.dispatch({ ...request, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 }, this);
    } catch (error) {
      this.#fail(this.#explain(error as Error));
    }
  }

  #take(): Buffer | undefined {
    const chunks = this.#chunks;
    if (chunks.length === 0) return undefined;
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, this.#unread);
    this.#drop();
    this.#phase?.refresh();
    if (this.#controller?.paused && !this.#failed) this.#controller.resume();
    return bytes;
  }

  #drop(): void {
    this.#chunks.length = 0;
    this.#unread = 0;
  }

  #news(): Promise<void> {
    this.#waiting ??= new Promise((resolve) => {
      this.#wake = () => {
        this.#waiting = this.#wake = undefined;
        resolve();
      };
    });
    return this.#waiting;
  }

  /** Begins a phase, and with it its limit. */
  #limit(phase: Exclude<TimeoutPhase, 'total'>): void {
    clearTimeout(this.#phase);
    this.#phase = undefined;
    const limit = this.#limits.timeouts[`${phase}Ms`];
    if (limit > 0 && !this.#ended) this.#phase = setTimeout(() => this.#timeOut(phase), limit);
  }

  #timeOut(phase: TimeoutPhase): void {
    // Who has not read yet what came is slow; the peer is not.
    if (phase === 'idle' && this.#unread > 0) return this.#limit('idle');
    const limit = this.#limits.timeouts[`${phase}Ms`];
    this.#fail(new ClientTimeoutError(phase, limit, this.#sent, hostOf(this.#request)));
  }

  /** What undici says, in our words. */
  #explain(error: Error & { readonly code?: unknown }): Error {
    if (error instanceof UnsafeUrlError) return error;
    const host = hostOf(this.#request);
    if (error.code === 'UND_ERR_INVALID_ARG') {
      return new TypeError(`The request to ${host} cannot be sent: ${error.message}`, { cause: error });
    }
    if (error.code === 'UND_ERR_CONNECT_TIMEOUT') {
      return new ClientTimeoutError('connect', this.#limits.timeouts.connectMs, false, host);
    }
    const what = this.#sent ? `The connection to ${host} was lost` : `No connection to ${host} could be made`;
    const code = typeof error.code === 'string' ? ` (${error.code})` : '';
    return new TransportError(what + code, this.#sent, { cause: error });
  }

  #fail(error: unknown): void {
    if (this.#ended || this.#failed) return;
    this.#failed = true;
    this.#failure = error;
    this.#settle();
    this.#controller?.abort(asError(error));
  }

  #settle(): void {
    this.underWay.delete(this);
    clearTimeout(this.#phase);
    clearTimeout(this.#total);
    this.#stopListening?.();
    this.#wake?.();
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('Aborted', { cause: reason });
}

/** For messages. */
export function hostOf({ origin }: Pick<HttpRequest, 'origin'>): string {
  return new URL(origin).host;
}
