import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../lib/interfaces/queue-manager.js';
import { chunkEvent, messageCommand, originOf, statusEvent, unique } from '../../contracts/samples.js';
import { describeWithServer } from '../../support/servers.js';
import type { DatabaseKind } from '../databases.js';
import { numbers } from './follow.js';
import { logProcesses, recordStatements, type LogProcess, type LogProcesses } from './log-processes.js';

const HOLDER = { holder: 'holder', ttlMs: 60_000 };

/** Round trips that a change with records takes. */
const ROUND_TRIPS: Readonly<Record<DatabaseKind, number>> = { postgres: 1, mariadb: 6, sqlite: 5 };

describe('The cost of logs on SQLite', () => describeCosts('sqlite'));
describeWithServer('The cost of logs on PostgreSQL', 'postgres', () => describeCosts('postgres'));
describeWithServer('The cost of logs on MariaDB', 'mariadb', () => describeCosts('mariadb'));

function describeCosts(kind: DatabaseKind): void {
  let processes: LogProcesses;
  let one: LogProcess;

  beforeAll(async () => {
    processes = await logProcesses(kind);
    one = await processes.start({ source: kind === 'sqlite' ? {} : { poolSize: 2 } });
  });
  afterAll(() => processes?.stop());
  afterEach(() => vi.restoreAllMocks());

  const begin = async (): Promise<{ readonly id: string; readonly lease: Lease }> => {
    const id = unique('task');
    return { id, lease: (await one.queue.create(id, originOf(), messageCommand('first'), HOLDER))! };
  };

  it('is the same for each chunk, whatever came before it', async () => {
    const { id, lease } = await begin();
    const record = recordStatements(one);
    for (let n = 1; n <= 300; n++) {
      await one.queue.append(lease, [chunkEvent(id, `${n}`)]);
      expect(record.statements).toHaveLength(n * ROUND_TRIPS[kind]);
    }
  });

  it('is the same for a batch', async () => {
    const { id, lease } = await begin();
    const record = recordStatements(one);
    await one.queue.append(
      lease,
      numbers(500).map((n) => chunkEvent(id, `${n}`)),
    );
    expect(record.statements).toHaveLength(ROUND_TRIPS[kind]);
    expect(await one.queue.read(id, 1, 1_000)).toHaveLength(500);
  });

  it('does not keep 2 000 events from being logged in one step', async () => {
    const { id, lease } = await begin();
    expect(
      await one.queue.append(
        lease,
        numbers(2_000).map((n) => chunkEvent(id, `${n}`)),
      ),
    ).toBe(2_001);
    const records = await one.queue.read(id, 1, 5_000);
    expect(records.map(({ sequence }) => sequence)).toEqual(numbers(2_000).map((n) => n + 2));
  });

  it('lets 100 writers and their readers share two connections', async () => {
    const ends = numbers(100).map(async (n) => {
      const { id, lease } = await begin();
      const told = new Promise<unknown>((resolve) => one.queue.watch(id, resolve));
      await one.queue.appendCommand(id, { ...messageCommand(`${n}`), once: 'digest' }, 5);
      await one.queue.take(lease, 1);
      await one.queue.append(lease, [chunkEvent(id, '0')]);
      await one.queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
      await one.queue.release(lease, 'ended', 4);
      await told;
      const records = await one.queue.read(id, 0);
      if (n % 2) await one.queue.remove(id);
      return records.length;
    });
    expect(await Promise.all(ends)).toEqual(numbers(100).map(() => 4));
  }, 60_000);

  it('lets a log go with all that belongs to it, and claims with their windows', async () => {
    const { id } = await begin();
    await one.queue.appendCommand(id, { ...messageCommand('x'), once: 'digest' });
    await one.queue.claim(id, { taskId: id, digest: 'digest' }, 0);
    await one.queue.remove(id);
    await one.queue.prune({});
    const left = await Promise.all(
      ['log_heads', 'log_records', 'log_onces', 'log_claims'].map((name) =>
        one.database.rows(`SELECT task_id FROM ${one.database.table(name)} WHERE task_id = ?`, [id]),
      ),
    );
    expect(left).toEqual([[], [], [], []]);
  });
}
