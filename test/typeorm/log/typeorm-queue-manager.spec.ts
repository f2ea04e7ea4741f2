import { afterAll, beforeAll, describe } from 'vitest';
import { describeQueueManager } from '../../contracts/describe-queue-manager.js';
import { pseudoRandom, withFaults } from '../../contracts/with-faults.js';
import { describeWithServer } from '../../support/servers.js';
import type { DatabaseKind } from '../databases.js';
import { logProcesses, type LogProcess, type LogProcesses } from './log-processes.js';

describe('SQLite', () => describeLogs('sqlite'));
describeWithServer('PostgreSQL', 'postgres', () => describeLogs('postgres'));
describeWithServer('MariaDB', 'mariadb', () => describeLogs('mariadb'));

function describeLogs(kind: DatabaseKind): void {
  let processes: LogProcesses;
  let a: LogProcess;
  let b: LogProcess;

  beforeAll(async () => {
    processes = await logProcesses(kind);
    a = await processes.start();
    b = await processes.start();
  });
  afterAll(() => processes?.stop());

  describeQueueManager(kind, () => ({ queue: a.queue, other: b.queue }));

  describeQueueManager(`${kind} over a slow line`, () => {
    const latency = pseudoRandom(1, 3);
    return { queue: withFaults(a.queue, { latency }), other: b.queue };
  });
}
