import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { within } from './redis-runner.js';

/** Channels of one SUBSCRIBE. */
const AT_ONCE = 500;
/** How often the connection is asked whether it lives, in ms: one whose other end vanished says nothing by itself. */
const PING_MS = 5_000;
/** Longest pause between attempts to connect, in ms. */
const MAX_PAUSE_MS = 1_000;

const NO_ANSWER = new Error('Redis did not answer');

type Listener = (sequence?: number) => void;

/**
 * Wakes whoever watches a channel, over one connection however many they are. A new connection subscribes anew to all of them; once Redis has
 * acknowledged a subscription its listeners are woken, as what came before was not heard.
 */
export class RedisWatchers {
  readonly #logger = new Logger('A2ARedisModule');
  readonly #channels = new Map<string, Set<Listener>>();
  #connection: Redis | undefined;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #ping: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param open makes a connection that connects when asked, and does not connect again by itself. */
  constructor(private readonly open: () => Redis) {}

  /** Resolves when the first connection stands. Later ones are made as they are needed. */
  async connect(): Promise<void> {
    const connection = this.open();
    this.#connection = connection;
    // An error ends the connection, and its end is what is looked at.
    connection.on('error', () => {});
    connection.on('message', (channel: string, text: string) =>
      this.#wake(channel, text === '' ? undefined : Number(text)),
    );
    connection.once('end', () => this.#reconnect());
    await connection.connect();
    this.#attempts = 0;
    clearInterval(this.#ping);
    this.#ping = setInterval(() => {
      within(connection.ping(), PING_MS, NO_ANSWER).catch(() => connection.disconnect());
    }, PING_MS);
    this.#ping.unref();
    this.#subscribe([...this.#channels.keys()]);
  }

  watch(channel: string, listener: Listener): () => void {
    const known = this.#channels.get(channel);
    // A listener may be there twice, and each time ends by itself.
    const own: Listener = (sequence) => listener(sequence);
    const listeners = known ?? new Set();
    listeners.add(own);
    if (!known) {
      this.#channels.set(channel, listeners);
      this.#subscribe([channel]);
    }
    return () => {
      if (!listeners.delete(own) || listeners.size > 0 || this.#channels.get(channel) !== listeners) return;
      this.#channels.delete(channel);
      if (this.#connection?.status === 'ready') this.#connection.unsubscribe(channel).catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#ping);
    this.#channels.clear();
    const connection = this.#connection;
    if (!connection || connection.status === 'end') return;
    const ended = new Promise((resolve) => connection.once('end', resolve));
    connection.disconnect();
    await ended;
  }

  #subscribe(channels: readonly string[]): void {
    const connection = this.#connection;
    // One that is not ready yet subscribes to everything when it is.
    if (connection?.status !== 'ready') return;
    for (let i = 0; i < channels.length; i += AT_ONCE) {
      const some = channels.slice(i, i + AT_ONCE);
      connection.subscribe(...some).then(
        () => some.forEach((channel) => this.#wake(channel)),
        (error: unknown) => {
          if (connection.status === 'ready') this.#logger.error('Redis refused a subscription', error);
        },
      );
    }
  }

  #wake(channel: string, sequence?: number): void {
    for (const listener of this.#channels.get(channel) ?? []) listener(sequence);
  }

  #reconnect(): void {
    if (this.#closed) return;
    clearInterval(this.#ping);
    this.#timer = setTimeout(
      () => {
        // If it fails its end leads here again.
        this.connect().catch(() => {});
      },
      Math.min(MAX_PAUSE_MS, 25 * 2 ** this.#attempts++),
    );
  }
}
