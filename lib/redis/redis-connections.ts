import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type Cluster, type RedisOptions } from 'ioredis';
import { resolveRedisOptions, type A2ARedisOptions, type ResolvedRedisOptions } from './redis-options.js';
import { RedisRunner } from './redis-runner.js';
import { RedisWatchers } from './redis-watchers.js';

/** How long closing waits for what is on its way, in ms. */
const QUIT_MS = 1_000;
/** The attempt to connect again with which an outage is worth telling. */
const TOLD_ATTEMPT = 4;

/**
 * The two connections of a process: one for commands, and one to be woken by. Opened by `open()`, closed with the application, after its runs are
 * drained; a client that was given stays open.
 */
export class RedisConnections implements OnApplicationShutdown {
  readonly #logger = new Logger('A2ARedisModule');
  readonly client: Redis | Cluster;
  readonly runner: RedisRunner;
  readonly watchers: RedisWatchers;
  #closing: Promise<void> | undefined;

  private constructor(readonly options: ResolvedRedisOptions) {
    this.client = options.client ?? this.#create();
    // One whose other end vanished would not notice for a long time.
    const renew = options.client ? undefined : () => this.client.disconnect(true);
    this.runner = new RedisRunner(this.client, options.commandTimeoutMs, renew);
    this.watchers = new RedisWatchers(() => this.#openSubscriber());
  }

  /** Connects. Throws when Redis cannot be reached within `connectTimeoutMs`, saying why. */
  static async open(options: A2ARedisOptions): Promise<RedisConnections> {
    const connections = new RedisConnections(resolveRedisOptions(options));
    try {
      await connections.#connect();
    } catch (error) {
      await connections.close();
      throw error;
    }
    return connections;
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  #create(): Redis {
    const { url, redis } = this.options;
    let lost = '';
    let told = false;
    const options: RedisOptions = {
      keepAlive: 10_000,
      // Calls have a limit of their own.
      maxRetriesPerRequest: null,
      retryStrategy: (attempt) => {
        if (attempt === TOLD_ATTEMPT) this.#logger.warn(`The connection to Redis is lost: ${lost}`);
        told ||= attempt >= TOLD_ATTEMPT;
        return Math.min(1_000, 10 * 2 ** Math.min(attempt, 10));
      },
      // After a failover the old address leads to a replica for a while; the command was not carried out there.
      reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
      ...redis,
      lazyConnect: true,
    };
    const client = url ? new Redis(url, options) : new Redis(options);
    client.on('error', (error: Error) => (lost = describe(error)));
    client.on('ready', () => {
      if (told) this.#logger.log('The connection to Redis is back');
      told = false;
    });
    return client;
  }

  /** Wakes over one node of a cluster, which tells what was published on any; another is tried when that one is gone. */
  #openSubscriber(): Redis {
    const nodes = this.client.isCluster ? (this.client as Cluster).nodes('master') : [this.client as Redis];
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    if (!node) throw new Error('No node of the Redis cluster is known');
    return node.duplicate({
      lazyConnect: true,
      retryStrategy: null,
      autoResubscribe: false,
      enableOfflineQueue: true,
      readOnly: false,
    });
  }

  async #connect(): Promise<void> {
    const { connectTimeoutMs } = this.options;
    let reason: Error | undefined;
    const note = (error: Error): void => void (reason = error);
    this.client.on('error', note);
    try {
      await this.runner.send((client) => client.ping(), connectTimeoutMs);
      await this.watchers.connect();
      await this.#check();
    } catch (error) {
      const why = reason ?? (error as Error);
      throw new Error(
        `A2ARedisModule: Redis at ${this.#where()} cannot be used, tried for ${connectTimeoutMs} ms: ${describe(why)}`,
        { cause: error },
      );
    } finally {
      this.client.off('error', note);
    }
  }

  /** Logs that are evicted are lost. Not every account may ask. */
  async #check(): Promise<void> {
    const info = await this.runner.send((client) => client.info('memory')).catch(() => '');
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
    if (policy !== undefined && policy !== 'noeviction')
      this.#logger.warn(
        `Redis evicts keys when its memory is full (maxmemory-policy ${policy}), and with them logs of running tasks: set it to noeviction`,
      );
  }

  #where(): string {
    if (this.client.isCluster) return 'a cluster';
    const { path, host, port, sentinels } = (this.client as Redis).options;
    return path ?? (sentinels ? 'Sentinel' : `${host}:${port}`);
  }

  async #close(): Promise<void> {
    this.runner.close();
    await this.watchers.close();
    if (this.options.client) return;
    const client = this.client as Redis;
    if (client.status === 'ready') {
      const ended = new Promise((resolve) => client.once('end', resolve));
      client.quit().catch(() => {});
      await Promise.race([ended, sleep(QUIT_MS, undefined, { ref: false })]);
    }
    if (client.status !== 'end') client.disconnect();
  }
}

/** Errors of several addresses have no message of their own. */
function describe(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map(String).join(', ');
  return error.message || error.name;
}
