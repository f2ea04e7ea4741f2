// @ts-check
// What the stores and logs cost that processes share, against those in memory. Servers of one backing at a time.
import { BACKINGS, withBacking } from './backings.js';
import { startServer } from './processes.js';
import { median } from './statistics.js';

/** @import { BackingName } from './backings.js' */
/** @import { Server } from './processes.js' */
/** @import { Effort, Load } from './rows.js' */

/** A row of the table of backings. @typedef {{ title: string, unit: string, backings: Partial<Record<BackingName, number>> }} BackingRow */

const CONCURRENCY = 32;

/**
 * One row for each figure that `measure` answers, by its title; backings whose servers cannot be reached are left out.
 * @param {Record<string, string>} units of the figures, by their titles
 * @param {(servers: Server[]) => Promise<number[]>} measure figures in the order of the units
 * @returns {Promise<BackingRow[]>}
 */
async function rowsOf(units, measure) {
  /** @type {BackingRow[]} */
  const rows = Object.entries(units).map(([title, unit]) => ({ title, unit, backings: {} }));
  for (const name of /** @type {BackingName[]} */ (Object.keys(BACKINGS))) {
    const figures = await withBacking(name, (env) => withProcesses(env, measure));
    figures?.forEach((figure, i) => {
      const row = rows[i];
      if (row) row.backings[name] = figure;
    });
  }
  return rows;
}

/**
 * Two servers over the backing, and a worker where runs are queued. In memory there is one: nobody else sees its tasks.
 * @template T
 * @param {NodeJS.ProcessEnv} env @param {(servers: Server[]) => Promise<T>} work
 */
async function withProcesses(env, work) {
  const roles = env.STORE === 'memory' ? ['all'] : ['all', 'all'];
  const queued = env.RUNNER === 'bullmq' ? ['web', 'web', 'worker'] : roles;
  /** @type {Server[]} */
  const servers = [];
  try {
    for (const ROLE of queued) servers.push(await startServer('ours', { ...env, ROLE }));
    return await work(servers.filter(({ port }) => port !== 0));
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** The median of so many measurements. @param {number} rounds @param {() => Promise<number>} measure */
async function medianOf(rounds, measure) {
  const values = [];
  for (let round = 0; round < rounds; round++) values.push(await measure());
  return median(values);
}

/** @param {Load} load @param {Effort} effort */
function storeRows(load, { rounds, ms, warmUpMs }) {
  const units = {
    'SendMessage, JSON-RPC': 'requests/s',
    'A stream of 500 chunks': 'ms',
    'A stream of 8 000 chunks': 'ms',
    '8 000 chunks to 500 chunks': '×',
  };
  return rowsOf(units, async ([server]) => {
    const { port } = /** @type {Server} */ (server);
    /** @param {number} n */
    const stream = (n) => () => load.run('time', { port, name: 'streamChunks', argument: String(n) });
    /** @param {number} forMs */
    const send = (forMs) => () =>
      load.run('rate', { port, name: 'sendRpc', ms: forMs, concurrency: CONCURRENCY });

    await medianOf(3, stream(500));
    await medianOf(1, stream(8_000));
    const few = await medianOf(2 * rounds + 1, stream(500));
    const many = await medianOf(rounds, stream(8_000));
    await medianOf(1, send(warmUpMs));
    return [await medianOf(rounds, send(ms)), few, many, many / few];
  });
}

/** @param {Load} load @param {Effort} effort */
function latencyRows(load, { ticks }) {
  const units = { 'An event on another process, p50': 'ms', 'An event on another process, p99': 'ms' };
  return rowsOf(units, async (servers) => {
    const job = { startPort: servers[0]?.port, port: servers.at(-1)?.port };
    await load.run('latency', { ...job, count: 100 });
    const { p50, p99 } = await load.run('latency', { ...job, count: ticks });
    return [p50, p99];
  });
}

/** Rows by the name that `--only` takes. */
export const BACKING_ROWS = { stores: storeRows, latency: latencyRows };
