import type { ServerResponse } from 'node:http';
import type { EventStream, NumberedEvent } from '../interfaces/task-reader.js';
import { UnavailableError } from '../protocol/errors.js';
import type { HttpExchange } from '../http/http-exchange.js';
import type { OpenStream, OpenStreams } from './open-streams.js';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
const COMMENT = ':\n\n';
/** How long a client may take to read the end of a stream when the application shuts down. */
const LAST_WORDS_MS = 1_000;

/** How a binding puts events into `data`. */
export interface EventFormat {
  readonly before: string;
  readonly after: string;
  /** What is sent when the stream breaks on our side. */
  readonly fail: (exception: unknown) => string;
}

/** In ms; 0 is never. */
export interface SseTimes {
  readonly keepAliveMs: number;
  readonly writeTimeoutMs: number;
  readonly idleMs: number;
}

/** With `compression`, Express responses flush what they hold back. */
type Flushable = ServerResponse & { flush?: () => void };

/**
 * Writes one event stream as Server-Sent Events, as fast as its socket takes them: it reads on when what it wrote has
 * left, so a slow client costs one batch. It owns the stream and ends it, whoever leaves first.
 */
export class SseWriter implements OpenStream {
  readonly #response: Flushable;
  #open = false;
  #ended = false;
  #blocked = false;
  #resume: (() => void) | undefined;
  #lastWrite = Date.now();
  #lastEvent = this.#lastWrite;

  constructor(
    private readonly source: EventStream,
    private readonly exchange: HttpExchange,
    private readonly format: EventFormat,
    private readonly times: SseTimes,
    private readonly streams: OpenStreams,
  ) {
    this.#response = exchange.response;
  }

  /**
   * Waits for the first event, then sends the head and goes on by itself. What fails before is thrown, and can still be
   * an HTTP error.
   * @param atOnce sends the head without waiting: the first event may be hours away.
   */
  async start(atOnce: boolean): Promise<void> {
    try {
      this.streams.add(this, tickOf(this.times));
      this.watch();
      const first = atOnce ? [] : await this.source.read();
      // An interceptor may have given up on the call, and the filter have answered.
      if (this.hasLeft() || this.exchange.answered) return this.finish();
      if (!first) throw new UnavailableError('The stream ended before its first event');
      this.exchange.open(HEADERS);
      this.#open = true;
      if (atOnce) this.send(COMMENT);
      else this.write(first);
    } catch (error) {
      this.finish();
      throw error;
    }
    void this.pump();
  }

  tick(now: number): void {
    const { keepAliveMs, idleMs } = this.times;
    if (!this.#open || this.#ended) return;
    if (idleMs > 0 && now - this.#lastEvent >= idleMs) return this.source.close();
    if (keepAliveMs > 0 && !this.#blocked && now - this.#lastWrite >= keepAliveMs) this.send(COMMENT);
  }

  shutdown(): Promise<void> {
    const response = this.#response;
    if (response.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => response.destroy(), LAST_WORDS_MS);
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      if (this.#blocked) response.destroy();
      this.#response.shouldKeepAlive = false;
      this.source.finish();
    });
  }

  /** The client may have left while guards and the handler were still at work. */
  private watch(): void {
    const response = this.#response;
    response.on('close', () => this.finish());
    response.on('error', () => this.finish());
    response.on('drain', () => this.unblock());
    response.on('timeout', () => this.#blocked && response.destroy());
    if (this.hasLeft()) this.finish();
  }

  private hasLeft(): boolean {
    const { closed, destroyed, socket } = this.#response;
    return closed || destroyed || socket?.destroyed === true;
  }

  private async pump(): Promise<void> {
    try {
      for (;;) {
        if (this.#blocked) await new Promise<void>((resolve) => (this.#resume = resolve));
        if (this.#ended) return;
        const batch = await this.source.read();
        if (this.#ended) return;
        if (!batch) break;
        this.write(batch);
      }
    } catch (exception) {
      if (!this.#ended) this.send(`data: ${this.format.fail(exception)}\n\n`);
    }
    this.finish();
  }

  private write(batch: readonly NumberedEvent[]): void {
    const { before, after } = this.format;
    let text = '';
    for (const { sequence, event } of batch) {
      text += `id: ${sequence}\ndata: ${before}${JSON.stringify(event)}${after}\n\n`;
    }
    this.send(text);
    this.#lastEvent = this.#lastWrite;
  }

  private send(text: string): void {
    const response = this.#response;
    this.#lastWrite = Date.now();
    if (!response.write(text)) {
      this.#blocked = true;
      // Node starts it anew whenever the socket takes something.
      response.setTimeout(this.times.writeTimeoutMs);
    }
    response.flush?.();
  }

  private unblock(): void {
    this.#blocked = false;
    this.#response.setTimeout(0);
    this.#resume?.();
    this.#resume = undefined;
  }

  private finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.streams.delete(this);
    this.source.close();
    if (this.#open) this.end();
    this.#resume?.();
  }

  private end(): void {
    const response = this.#response;
    const { socket, shouldKeepAlive, req } = response;
    if (response.destroyed) return;
    // The head promised to keep the connection; a server that shuts down waits for those.
    response.end(() => {
      if (!shouldKeepAlive && req.httpVersionMajor === 1) socket?.destroySoon();
    });
  }
}

/** Often enough that a time is exceeded by a quarter at most. */
function tickOf(times: SseTimes): number {
  const shortest = [times.keepAliveMs, times.idleMs].filter((ms) => ms > 0);
  return Math.max(5, Math.min(...shortest, 4_000) / 4);
}
