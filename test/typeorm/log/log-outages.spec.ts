import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  LeaseLostError,
  TaskLogClosedError,
  TaskLogNotFoundError,
  type Lease,
  type LogEvent,
} from '../../../lib/interfaces/queue-manager.js';
import type { Database } from '../../../lib/typeorm/database/database.js';
import { chunkEvent, messageCommand, originOf, unique } from '../../contracts/samples.js';
import { describeWithServer } from '../../support/servers.js';
import type { DatabaseKind } from '../databases.js';
import { batches, chunksOf, follow, numbers } from './follow.js';
import { logProcesses, type LogProcess, type LogProcesses } from './log-processes.js';

const HOLDER = { holder: 'holder', ttlMs: 60_000 };

let processes: LogProcesses;
let writer: LogProcess;
let reader: LogProcess;
/** Cuts connections of the other two. */
let administrator: Database;

function describeOutages(kind: DatabaseKind, cut: () => Promise<number>, body: () => void): void {
  beforeAll(async () => {
    Logger.overrideLogger(false);
    processes = await logProcesses(kind);
    writer = await processes.start({ source: { applicationName: 'writer' } });
    reader = await processes.start({ source: { applicationName: 'reader' } });
    ({ database: administrator } = await processes.start({ source: { poolSize: 1 } }));
  });
  afterAll(async () => {
    await processes?.stop();
    Logger.overrideLogger(['log', 'warn', 'error']);
  });

  it('lose and repeat nothing of what is logged and read meanwhile', async () => {
    const { id, lease } = await begin();
    const errors: unknown[] = [];
    const followers = numbers(5).map(() => follow(reader.queue, id, errors));
    let after = 1;
    let cuts = 0;
    for (const [i, batch] of batches(id, 1_500).entries()) {
      const appended = insist(lease, batch, after, errors);
      // Each time a little later in the append.
      if (i % 4 === 0) cuts += await sleep(i / 20).then(cut);
      after = await appended;
    }
    const logs = await Promise.all(followers);
    expect(cuts).toBeGreaterThan(20);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors)
      for (const kindOf of [LeaseLostError, TaskLogClosedError, TaskLogNotFoundError])
        expect(error).not.toBeInstanceOf(kindOf);
    for (const log of logs) {
      expect(chunksOf(log)).toEqual(numbers(1_500));
      expect(log.map(({ sequence }) => sequence)).toEqual(numbers(1_502).map((n) => n + 1));
    }
  }, 120_000);

  body();
}

async function begin(): Promise<{ readonly id: string; readonly lease: Lease }> {
  const id = unique('task');
  const lease = await writer.queue.create(id, originOf(), messageCommand('first'), HOLDER);
  return { id, lease: lease! };
}

/** Appends until it is known to be done. */
async function insist(
  lease: Lease,
  batch: readonly LogEvent[],
  after: number,
  errors: unknown[],
): Promise<number> {
  for (;;) {
    try {
      return await writer.queue.append(lease, batch, { after });
    } catch (error) {
      errors.push(error);
      await sleep(5);
    }
  }
}

async function cutPostgres(): Promise<number> {
  const cut = await administrator.rows(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name IN ('writer', 'reader')`,
  );
  return cut.length;
}

async function cutMariaDb(): Promise<number> {
  const others = await administrator.rows<{ id: unknown }>(
    'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
  );
  for (const { id } of others) await administrator.run(`KILL ${Number(id)}`).catch(() => 0);
  return others.length;
}

describeWithServer('Cut connections to MariaDB', 'mariadb', () =>
  describeOutages('mariadb', cutMariaDb, () => {}),
);

describeWithServer('Cut connections to PostgreSQL', 'postgres', () =>
  describeOutages('postgres', cutPostgres, () => {
    const listeners = () =>
      administrator.rows<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
          AND application_name = 'idle' AND query LIKE 'LISTEN%'`,
      );

    it('are made again by a process that listens, and its readers miss nothing', async () => {
      const idle = await processes.start({ source: { applicationName: 'idle' } });
      const { id, lease } = await begin();
      let told: (sequence?: number) => void = () => {};
      const unwatch = idle.queue.watch(id, (sequence) => told(sequence));
      await expect.poll(listeners, { timeout: 5_000 }).toHaveLength(1);
      for (let sequence = 2; sequence < 5; sequence++) {
        const woken = new Promise<void>((resolve) => {
          told = () =>
            void idle.queue.head(id).then((head) => {
              if (head!.sequence === sequence) resolve();
            });
        });
        const [{ pid } = { pid: 0 }] = await listeners();
        await administrator.rows('SELECT pg_terminate_backend(?)', [pid]);
        // Nobody is told of this one.
        await writer.queue.append(lease, [chunkEvent(id, '0')]);
        await woken;
        await expect
          .poll(async () => (await listeners()).filter((one) => one.pid !== pid), { timeout: 10_000 })
          .toHaveLength(1);
      }
      unwatch();
    }, 60_000);
  }),
);
