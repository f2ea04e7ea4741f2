import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { poolOf, type PgClient } from '../database/postgres-pool.js';

const logger = new Logger('A2A');

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How often the connection must show that it is alive, and how long it may take for it. A cut line does not tell by itself. */
const HEARTBEAT_MS = 5_000;

export interface ListenerEvents {
  /** From now on every notification comes; what happened before may be missing. */
  listening(): void;
  /** Notifications are missing until `listening()` is called again. */
  deaf(): void;
  notified(payload: string): void;
}

/**
 * The one connection of this process that listens to a channel. It is made at the first need, outside of the pool, so that it takes none of
 * its connections, and made again when it breaks.
 */
export class PostgresListener {
  #client: PgClient | undefined;
  #connecting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #pause = SHORTEST_PAUSE_MS;
  #warned = false;
  #stopped = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly channel: string,
    private readonly events: ListenerEvents,
  ) {}

  /** Does nothing when it has started. */
  start(): void {
    if (this.#stopped || this.#client || this.#connecting || this.#timer) return;
    this.#connecting = this.#connect().finally(() => (this.#connecting = undefined));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#connecting;
    const client = this.#client;
    this.#drop();
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = newClient(this.dataSource);
    // A client without a listener for errors ends the process.
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ payload = '' }) => {
      if (this.#client === client) this.events.notified(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN "${this.channel}"`);
    } catch (error) {
      void client.end().catch(() => undefined);
      this.#retry(error);
      return;
    }
    if (this.#stopped) return client.end().catch(() => undefined);
    this.#client = client;
    this.#pause = SHORTEST_PAUSE_MS;
    this.#warned = false;
    this.#heartbeat = setInterval(() => {
      client.query('SELECT 1').catch(() => this.#lose(client));
    }, HEARTBEAT_MS);
    this.events.listening();
  }

  #lose(client: PgClient): void {
    if (this.#client !== client) return;
    this.#drop();
    void client.end().catch(() => undefined);
    if (this.#stopped) return;
    this.events.deaf();
    this.#retry('the connection was lost');
  }

  #drop(): void {
    this.#client = undefined;
    clearInterval(this.#heartbeat);
  }

  #retry(reason: unknown): void {
    if (this.#stopped) return;
    if (!this.#warned)
      logger.warn(`PostgreSQL does not notify this process of events, so they come later: ${String(reason)}`);
    this.#warned = true;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.start();
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }
}

/** Another client with the options of the pool, of which it hides the password. */
function newClient(dataSource: DataSource): PgClient {
  const { options, Client } = poolOf(dataSource);
  return new Client({
    ...options,
    password: options.password,
    keepAlive: true,
    query_timeout: HEARTBEAT_MS,
  });
}
