import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { shuttingDown } from '../interfaces/shutting-down.js';

/** A stream that is open towards a client. */
export interface OpenStream {
  /** Called every now and then, at least once a second. */
  tick(now: number): void;
  /** Ends the stream and its connection; resolves when the client is gone. */
  shutdown(): Promise<void>;
}

const TICK_MS = 1_000;

/**
 * All streams that are open, in the order of their opening: one timer serves them all, and one call ends them. A server
 * cannot close while they are open.
 */
@Injectable()
export class OpenStreams implements OnApplicationShutdown {
  readonly #streams = new Set<OpenStream>();
  #timer: NodeJS.Timeout | undefined;
  #tickMs = TICK_MS;
  #closing = false;

  /** How many there are now. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * @param tickMs how often the stream needs its tick at least.
   * @throws UnavailableError once closeAll() was called.
   */
  add(stream: OpenStream, tickMs: number): void {
    if (this.#closing) throw shuttingDown();
    this.#streams.add(stream);
    if (this.#timer && tickMs >= this.#tickMs) return;
    clearInterval(this.#timer);
    this.#tickMs = Math.min(tickMs, TICK_MS);
    this.#timer = setInterval(() => this.tick(), this.#tickMs).unref();
  }

  delete(stream: OpenStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0) this.stop();
  }

  /**
   * Ends every stream and lets no new one open. To be called when running tasks have drained: streams of tasks that
   * ended have told so by then.
   */
  async closeAll(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#streams].map((stream) => stream.shutdown()));
    this.stop();
  }

  onApplicationShutdown(): void {
    this.stop();
  }

  private tick(): void {
    const now = Date.now();
    for (const stream of this.#streams) stream.tick(now);
  }

  private stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tickMs = TICK_MS;
  }
}
