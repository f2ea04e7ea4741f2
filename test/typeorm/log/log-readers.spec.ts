import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../lib/interfaces/queue-manager.js';
import { chunkEvent, messageCommand, originOf, unique } from '../../contracts/samples.js';
import { describeWithServer } from '../../support/servers.js';
import type { DatabaseKind } from '../databases.js';
import { batches, chunksOf, follow, numbers } from './follow.js';
import { logProcesses, recordStatements, type LogProcess, type LogProcesses } from './log-processes.js';

const HOUR = 3_600_000;
const HOLDER = { holder: 'holder', ttlMs: 60_000 };

let processes: LogProcesses;
let writer: LogProcess;

function describeReaders(kind: DatabaseKind, body: () => void): void {
  beforeAll(async () => {
    processes = await logProcesses(kind);
    writer = await processes.start();
  });
  afterAll(() => processes?.stop());
  afterEach(() => vi.restoreAllMocks());

  it('see 5 000 chunks, 20 of them in another process, each the same without a gap', async () => {
    const reader = await processes.start();
    const { id, lease } = await begin();
    const followers = numbers(20).map(() => follow(reader.queue, id));
    for (const [i, batch] of batches(id, 5_000).entries()) {
      await writer.queue.append(lease, batch, {
        close: batch.length === 1 && i > 1 && !('artifactUpdate' in batch[0]!),
      });
      if (i % 100 === 0) followers.push(follow(writer.queue, id), follow(reader.queue, id));
    }
    const [first, ...others] = await Promise.all(followers);
    expect(chunksOf(first!)).toEqual(numbers(5_000));
    expect(first!.map(({ sequence }) => sequence)).toEqual(numbers(5_002).map((n) => n + 1));
    for (const other of others) expect(other).toEqual(first);
  }, 120_000);

  it('are woken by a write of their own process at once, and once', async () => {
    const alone = await processes.start({ pollMs: HOUR });
    const id = unique('task');
    const lease = (await alone.queue.create(id, originOf(), messageCommand('first'), HOLDER))!;
    const told: (number | undefined)[] = [];
    const unwatch = alone.queue.watch(id, (sequence) => told.push(sequence));
    expect(await alone.queue.append(lease, [chunkEvent(id, '0')])).toBe(2);
    expect(told).toContain(2);
    await alone.queue.append(lease, [chunkEvent(id, '1')]);
    // Whatever else tells of the same writes comes before this one is answered twice.
    for (let i = 0; i < 5; i++) await alone.queue.head(id);
    unwatch();
    expect(told.filter((sequence) => sequence !== undefined)).toEqual([2, 3]);
  });

  body();
}

async function begin(): Promise<{ readonly id: string; readonly lease: Lease }> {
  const id = unique('task');
  const lease = await writer.queue.create(id, originOf(), messageCommand('first'), HOLDER);
  return { id, lease: lease! };
}

/** 1 000 readers of 250 logs, all of whom get to know of a change. */
async function watchMany(reader: LogProcess): Promise<{ changeAll(): Promise<void>; unwatch(): void }> {
  const logs = await Promise.all(numbers(250).map(() => begin()));
  const told = new Set<number>();
  const unwatches = numbers(1_000).map((n) =>
    reader.queue.watch(logs[n % 250]!.id, (sequence) => sequence === 2 && told.add(n)),
  );
  return {
    async changeAll() {
      await Promise.all(logs.map(({ id, lease }) => writer.queue.append(lease, [chunkEvent(id, '0')])));
      await expect.poll(() => told.size, { timeout: 15_000 }).toBe(1_000);
    },
    unwatch: () => unwatches.forEach((unwatch) => unwatch()),
  };
}

describe('Readers on SQLite', () => describeReaders('sqlite', pollingReaders));
describeWithServer('Readers on MariaDB', 'mariadb', () => describeReaders('mariadb', pollingReaders));

function pollingReaders(): void {
  it('are 1 000 and look once for all, one look at a time, and not at all when they have gone', async () => {
    const reader = await processes.start();
    const record = recordStatements(reader);
    const { changeAll, unwatch } = await watchMany(reader);
    await changeAll();
    expect(record.statements.length).toBeGreaterThan(0);
    expect(record.statements.every((statement) => statement.includes('IN ('))).toBe(true);
    expect(record.most).toBe(1);
    unwatch();
    await sleep(200);
    const { length } = record.statements;
    await sleep(300);
    expect(record.statements).toHaveLength(length);
  }, 60_000);

  it('look less often while nothing changes', async () => {
    const reader = await processes.start({ pollMs: 5 });
    const { id, lease } = await begin();
    const unwatch = reader.queue.watch(id, () => {});
    await sleep(300);
    const record = recordStatements(reader);
    await sleep(500);
    // At 5 ms there would be some 100.
    expect(record.statements.length).toBeLessThan(20);
    const woken = new Promise<unknown>((resolve) => reader.queue.watch(id, resolve));
    await writer.queue.append(lease, [chunkEvent(id, '0')]);
    await woken;
    unwatch();
  });
}

describeWithServer('Readers on PostgreSQL', 'postgres', () =>
  describeReaders('postgres', () => {
    it('are woken by notifications, without any look', async () => {
      const reader = await processes.start({ pollMs: HOUR });
      const record = recordStatements(reader);
      const { id, lease } = await begin();
      const told: (number | undefined)[] = [];
      reader.queue.watch(id, (sequence) => told.push(sequence));
      // The first call tells that the process listens.
      await expect.poll(() => told.length, { timeout: 5_000 }).toBe(1);
      for (let i = 0; i < 3; i++) await writer.queue.append(lease, [chunkEvent(id, `${i}`)]);
      await expect.poll(() => told, { timeout: 5_000 }).toEqual([undefined, 2, 3, 4]);
      expect(record.statements).toEqual([]);
    });

    it('miss nothing that happens before their process listens', async () => {
      const reader = await processes.start({ pollMs: HOUR });
      const { id, lease } = await begin();
      const woken = new Promise<unknown>((resolve) => reader.queue.watch(id, resolve));
      await writer.queue.append(lease, [chunkEvent(id, '0')]);
      await woken;
    });

    it('are 1 000 on one connection beside the pool', async () => {
      const name = unique('readers').slice(0, 60);
      const reader = await processes.start({ source: { applicationName: name, poolSize: 3 } });
      const { changeAll, unwatch } = await watchMany(reader);
      await changeAll();
      await Promise.all(numbers(50).map(() => reader.queue.head(unique('task'))));
      const rows = await writer.database.rows<{ query: string }>(
        'SELECT query FROM pg_stat_activity WHERE application_name = ?',
        [name],
      );
      // Its last statement is its first, or that of its heartbeat.
      expect(rows.filter(({ query }) => /^LISTEN |^SELECT 1$/.test(query))).toHaveLength(1);
      expect(rows.length).toBeLessThanOrEqual(4);
      unwatch();
    }, 60_000);
  }),
);
