import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournals } from './agent/journal.js';
import { checkTaskEvidence } from './checks/check-task-evidence.js';
import { Findings } from './checks/findings.js';
import { collect } from './collect.js';
import { Faults, type FaultCounts } from './faults.js';
import { runLoad } from './load/load.js';
import type { TaskLife } from './load/task-life.js';
import type { ChaosOptions } from './options.js';
import { Random } from './random.js';
import { createCluster, LEASE_TTL_MS } from './servers/create-cluster.js';
import type { Cluster } from './servers/cluster.js';
import { ChaosDatabase } from './servers/database.js';
import { freePort } from './servers/free-port.js';
import { RedisServer } from './servers/redis-server.js';
import { settle } from './settle.js';

/** What a run did and found. */
export interface ChaosResult {
  readonly faults: FaultCounts;
  readonly findings: Findings;
  readonly tasks: number;
  readonly processes: number;
  readonly loadSeconds: number;
  readonly settleSeconds: number;
  readonly folder: string;
}

/** Clients that have not seen the end of an ended task by then never will, in ms. */
const FOLLOWERS_MS = 15_000;
/** One task in so many is read from every web at the end. */
const EVERYWHERE = 5;

/** Starts servers and processes, lives tasks while faults happen, and checks what is left. */
export async function chaosRun(options: ChaosOptions, say: (text: string) => void): Promise<ChaosResult> {
  const folder = mkdtempSync(join(tmpdir(), 'nest-a2a-chaos-'));
  const journals = join(folder, 'journals');
  mkdirSync(journals);
  const random = new Random(options.seed);
  const redis = new RedisServer(await freePort(17_000), folder);
  const database = new ChaosDatabase(options.databaseUrl);
  let cluster: Cluster | undefined;
  try {
    await redis.start();
    await database.create();
    cluster = await createCluster(options, { folder, journals, redis, database });
    await cluster.open();
    say(`${options.webs} webs and ${options.workers} workers serve; logs in ${folder}`);
    const faults = new Faults(options, { cluster, redis, database }, random.fork(), LEASE_TTL_MS + 2_000);
    const started = Date.now();
    const lives = await live(cluster, faults, options, random, say);
    await faults.over();
    await cluster.allReady(30_000);
    const calm = Date.now();
    say(`${lives.length} tasks were begun; waiting for all to end`);
    const left = await settle(cluster, lives, options.boundMs);
    const settled = Date.now();
    say(`${left} tasks are left; waiting for their clients`);
    await followersEnd(lives);
    const findings = await check(cluster, lives, journals, say);
    return {
      faults: faults.counts,
      findings,
      tasks: lives.filter(({ accepted }) => accepted).length,
      processes: cluster.starts,
      loadSeconds: (calm - started) / 1_000,
      settleSeconds: (settled - calm) / 1_000,
      folder,
    };
  } finally {
    await cluster?.close();
    await redis.kill();
    await database.drop();
    if (!options.keep) rmSync(folder, { recursive: true, force: true });
  }
}

/** Those who have not seen the end by then are told to leave, and will be found out. */
async function followersEnd(lives: readonly TaskLife[]): Promise<void> {
  const patience = setTimeout(() => {
    for (const { followers } of lives) for (const follower of followers) follower.leave();
  }, FOLLOWERS_MS);
  await Promise.all(lives.map((life) => life.followed()));
  clearTimeout(patience);
}

function live(
  cluster: Cluster,
  faults: Faults,
  options: ChaosOptions,
  random: Random,
  say: (text: string) => void,
): Promise<TaskLife[]> {
  let told = 0;
  return runLoad(cluster, random.fork(), {
    tasks: options.tasks,
    concurrency: options.concurrency,
    patienceMs: options.boundMs,
    pace: async (begun) => {
      await faults.upTo(begun);
      if (begun < told + options.tasks / 10) return;
      told = begun;
      say(`${begun} tasks; ${JSON.stringify(faults.counts)}`);
    },
  });
}

/** Reads everything while all processes still serve, then has them end, which they must do by themselves. */
async function check(
  cluster: Cluster,
  lives: readonly TaskLife[],
  journals: string,
  say: (text: string) => void,
): Promise<Findings> {
  const findings = new Findings();
  say('reading all logs');
  const evidence = await collect(cluster, lives, readJournals(journals), EVERYWHERE);
  const abandoned = await (await cluster.web()).ask({ what: 'abandoned' });
  findings.expect(abandoned.length === 0, 'abandoned', undefined, `logs are left: ${abandoned.join(', ')}`);
  for (const item of evidence) checkTaskEvidence(item, findings);
  await cluster.close();
  for (const fault of cluster.faults) findings.expect(false, 'processes', undefined, fault);
  findings.count('processes that did not boot while a server was away', cluster.failedBoots);
  return findings;
}
