import type { ChaosOptions } from '../options.js';
import { Cluster } from './cluster.js';
import type { ChaosDatabase } from './database.js';
import { freePort } from './free-port.js';
import type { RedisServer } from './redis-server.js';
import { Replica } from './replica.js';

/** Short, so that an interruption is over soon, in ms. */
export const LEASE_TTL_MS = 3_000;

export interface Surroundings {
  readonly folder: string;
  readonly journals: string;
  readonly redis: RedisServer;
  readonly database: ChaosDatabase;
}

/** The webs and workers of a run, each in a place of its own; none is started yet. */
export async function createCluster(
  { webs, workers, log }: ChaosOptions,
  { folder, journals, redis, database }: Surroundings,
): Promise<Cluster> {
  const replicas: Replica[] = [];
  let next = 18_000;
  for (const role of [...Array<'web'>(webs).fill('web'), ...Array<'worker'>(workers).fill('worker')]) {
    const port = role === 'web' ? await freePort(next) : 0;
    if (port > 0) next = port + 1;
    const settings = {
      role,
      port,
      log,
      databaseUrl: database.url,
      redisUrl: redis.url,
      journals,
      leaseTtlMs: LEASE_TTL_MS,
      leaseRenewMs: 1_000,
      cancelGraceMs: 1_000,
      drainMs: 1_000,
      startTimeoutMs: 10_000,
      sweepMs: 1_000,
    };
    replicas.push(new Replica(`${role}-${replicas.length + 1}`, settings, folder));
  }
  return new Cluster(replicas);
}
