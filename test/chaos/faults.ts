import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosOptions } from './options.js';
import type { Random } from './random.js';
import type { Cluster } from './servers/cluster.js';
import type { ChaosDatabase } from './servers/database.js';
import type { RedisServer } from './servers/redis-server.js';

type FaultKind = 'kill' | 'term' | 'pause' | 'redis' | 'database';

export interface Victims {
  readonly cluster: Cluster;
  readonly redis: RedisServer;
  readonly database: ChaosDatabase;
}

/** What was done. */
export interface FaultCounts {
  workerKills: number;
  webKills: number;
  terms: number;
  pauses: number;
  redisRestarts: number;
  databaseCuts: number;
  connectionsCut: number;
}

/** All faults of a run, each due when so many tasks were begun, so that they spread over a run of any speed. */
export class Faults {
  readonly counts: FaultCounts = {
    workerKills: 0,
    webKills: 0,
    terms: 0,
    pauses: 0,
    redisRestarts: 0,
    databaseCuts: 0,
    connectionsCut: 0,
  };
  readonly #due: { readonly at: number; readonly kind: FaultKind }[];
  readonly #after: Promise<void>[] = [];
  #doing: Promise<void> = Promise.resolve();

  constructor(
    options: ChaosOptions,
    private readonly victims: Victims,
    private readonly random: Random,
    private readonly pauseMs: number,
  ) {
    const kinds = random.shuffle<FaultKind>([
      ...Array<FaultKind>(options.kills).fill('kill'),
      ...Array<FaultKind>(options.terms).fill('term'),
      ...Array<FaultKind>(options.pauses).fill('pause'),
      ...Array<FaultKind>(options.redisRestarts).fill('redis'),
      ...Array<FaultKind>(options.databaseCuts).fill('database'),
    ]);
    const step = (options.tasks * 0.94) / kinds.length;
    this.#due = kinds.map((kind, i) => ({
      kind,
      at: Math.floor(options.tasks * 0.02 + step * (i + random.next())),
    }));
  }

  /** Does what is due. One fault begins after the other; their effects overlap. */
  async upTo(begun: number): Promise<void> {
    while (this.#due[0] && this.#due[0].at <= begun) {
      const { kind } = this.#due.shift()!;
      this.#doing = this.#doing.then(() => this.#do(kind));
    }
    await this.#doing;
  }

  /** Resolves when nothing is stopped or down any more. */
  async over(): Promise<void> {
    await this.#doing;
    await Promise.all(this.#after);
  }

  async #do(kind: FaultKind): Promise<void> {
    const { cluster, database } = this.victims;
    switch (kind) {
      case 'kill': {
        const victim = await cluster.victim(this.random, this.random.chance(0.6) ? 'worker' : 'web');
        this.counts[victim.role === 'worker' ? 'workerKills' : 'webKills'] += 1;
        return victim.end('SIGKILL');
      }
      case 'term':
        this.counts.terms += 1;
        return (await cluster.victim(this.random)).end('SIGTERM');
      case 'pause':
        this.counts.pauses += 1;
        this.#after.push(this.#pause());
        return;
      case 'redis':
        this.counts.redisRestarts += 1;
        return this.#restartRedis();
      case 'database':
        this.counts.databaseCuts += 1;
        this.counts.connectionsCut += await database.cut();
    }
  }

  /** Longer than a lease lives: its tasks are another's when it wakes. */
  async #pause(): Promise<void> {
    const victim = await this.victims.cluster.victim(this.random, 'worker');
    victim.pause();
    await sleep(this.pauseMs);
    victim.resume();
  }

  async #restartRedis(): Promise<void> {
    await this.victims.redis.kill();
    await sleep(this.random.between(100, 1_500));
    await this.victims.redis.start();
  }
}
