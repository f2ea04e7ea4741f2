import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { badNumbers } from '../interfaces/bad-numbers.js';
import { defined } from '../interfaces/defined.js';

/** Options of `A2ARedisModule.forRoot()`. Exactly one of `url`, `redis` and `client` says where Redis is, or `url` and `redis` together. */
export interface A2ARedisOptions {
  /** As in `redis://user:password@host:6379/0`, or `rediss://` over TLS. */
  readonly url?: string;
  /** Options of ioredis, Sentinel's among them. */
  readonly redis?: RedisOptions;
  /** A client of the application, of one server or a cluster. Its owner closes it; the module opens one more connection, to be woken by. */
  readonly client?: Redis | Cluster;
  /** First part of every key and channel. Default `a2a`. */
  readonly keyPrefix?: string;
  /**
   * How long Redis keeps the log of a finished task by itself, in ms; 0 keeps it until it is pruned. Longer than the retention's
   * `finishedLogTtlMs`, after which processes prune what no webhook needs, and keep the rest for as long again. Default 3 600 000.
   */
  readonly finishedTtlMs?: number;
  /** How long a log is kept that nobody writes to, in ms; 0 keeps it for ever. Longer than the retention's `maxAgeMs`. Default 691 200 000 (8 days). */
  readonly activeTtlMs?: number;
  /** How long to wait for Redis at boot, in ms. Default 10 000. */
  readonly connectTimeoutMs?: number;
  /** How long a call may take, lost connections included, before it rejects, in ms. Default 10 000. */
  readonly commandTimeoutMs?: number;
}

/** The options with every default filled in. */
export type ResolvedRedisOptions = Required<Omit<A2ARedisOptions, 'url' | 'redis' | 'client'>> &
  Pick<A2ARedisOptions, 'url' | 'redis' | 'client'>;

/** Throws when the options do not say where Redis is, or say it twice, and for numbers that cannot be. */
export function resolveRedisOptions(options: A2ARedisOptions): ResolvedRedisOptions {
  const { url, redis, client } = options;
  if (!url && !redis && !client)
    throw new Error(
      'A2ARedisModule: say where Redis is, with `url`, `redis` (options of ioredis) or `client`',
    );
  if (client && (url || redis))
    throw new Error('A2ARedisModule: `client` is a connection already; leave `url` and `redis` out');
  const problems = badNumbers(options);
  if (problems.length > 0) throw new Error(`A2ARedisModule: ${problems.join('; ')}`);
  return {
    keyPrefix: 'a2a',
    finishedTtlMs: 3_600_000,
    activeTtlMs: 8 * 24 * 3_600_000,
    connectTimeoutMs: 10_000,
    commandTimeoutMs: 10_000,
    ...defined(options),
  };
}
