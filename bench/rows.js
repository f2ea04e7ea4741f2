// @ts-check
// What is measured. Every row starts its own servers, warms them up, and takes turns between them.
import { BACKING_ROWS } from './backing-rows.js';
import { CLIENT_ROWS } from './client-rows.js';
import { GUARD_ROWS } from './guard-rows.js';
import { startServer } from './processes.js';
import { pushRow } from './push-row.js';
import { median } from './statistics.js';

/** @typedef {import('./processes.js').Server} Server */
/** @typedef {import('./processes.js').ServerName} ServerName */
/** @typedef {ReturnType<typeof import('./processes.js').startLoad>} Load */
/** @typedef {{ rounds: number, ms: number, warmUpMs: number, tasks: number, ticks: number, skipSlow: boolean }} Effort */
/** @typedef {{ title: string, unit: string, values: Partial<Record<ServerName, number>>, note?: string }} Row */

const CONCURRENCY = 32;

/**
 * Runs with servers of those names, which are gone afterwards.
 * @template T
 * @param {ServerName[]} names @param {(servers: Server[]) => Promise<T>} work
 */
async function withServers(names, work) {
  /** @type {Server[]} */
  const servers = [];
  try {
    for (const name of names) servers.push(await startServer(name));
    return await work(servers);
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** The median of measurements that take turns between the servers. @param {Server[]} servers @param {number} rounds @param {(server: Server) => Promise<number>} measure */
async function inTurns(servers, rounds, measure) {
  /** @type {Map<ServerName, number[]>} */
  const all = new Map(servers.map((server) => [server.name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) all.get(server.name)?.push(await measure(server));
  }
  return Object.fromEntries([...all].map(([name, values]) => [name, median(values)]));
}

/** @param {string} title @param {string} request @param {ServerName[]} names @param {string} unit */
function rateRow(title, request, names, unit = 'requests/s') {
  /** @param {Load} load @param {Effort} effort @returns {Promise<Row[]>} */
  return (load, effort) =>
    withServers(names, async (servers) => {
      /** @type {Map<Server, string[] | undefined>} */
      const ids = new Map();
      for (const server of servers) {
        const existing = request === 'getTask';
        ids.set(
          server,
          existing ? await load.run('create', { port: server.port, name: 'sendRpc', count: 200 }) : undefined,
        );
      }
      /** @param {number} ms @returns {(server: Server) => Promise<number>} */
      const measure = (ms) => (server) =>
        load.run('rate', {
          port: server.port,
          name: request,
          ms,
          concurrency: CONCURRENCY,
          ids: ids.get(server),
        });
      await inTurns(servers, 1, measure(effort.warmUpMs));
      return [{ title, unit, values: await inTurns(servers, effort.rounds, measure(effort.ms)) }];
    });
}

/** @param {Load} load @param {Effort} effort @returns {Promise<Row[]>} */
function chunkRows(load, effort) {
  return withServers(['ours', 'official'], async (servers) => {
    /** @param {number} n @returns {(server: Server) => Promise<number>} */
    const measure = (n) => (server) =>
      load.run('time', { port: server.port, name: 'streamChunks', argument: String(n) });
    const ours = servers.filter((server) => server.name === 'ours');
    const official = servers.filter((server) => server.name === 'official');

    await inTurns(servers, 3, measure(500));
    await inTurns(ours, 3, measure(8_000));
    const few = await inTurns(servers, 2 * effort.rounds + 1, measure(500));
    const many = await inTurns(ours, effort.rounds, measure(8_000));
    if (!effort.skipSlow) Object.assign(many, await inTurns(official, 1, measure(8_000)));

    const growth = (Number(many.ours) / Number(few.ours)).toFixed(1);
    return [
      { title: 'A stream of 500 chunks', unit: 'ms', values: few },
      {
        title: 'A stream of 8 000 chunks',
        unit: 'ms',
        values: many,
        note: `ours takes ${growth} × its time for 500`,
      },
    ];
  });
}

const KIB = 1_024;

/** @param {Load} load @param {Effort} _effort @returns {Promise<Row[]>} */
async function subscriberRow(load, _effort) {
  const count = 2_000;
  /** @type {Row['values']} */
  const values = {};
  for (const name of /** @type {const} */ (['ours', 'official'])) {
    await withServers([name], async ([server]) => {
      const { port, memory } = /** @type {Server} */ (server);
      const ids = await load.run('create', { port, name: 'startHold', count: 100 });
      await load.run('subscribe', { port, ids, count: 200 });
      await load.run('unsubscribe');
      const before = await memory();
      await load.run('subscribe', { port, ids, count });
      values[name] = ((await memory()) - before) / count / KIB;
      await load.run('unsubscribe');
    });
  }
  return [{ title: 'An idle subscriber, one of 2 000', unit: 'KiB', values }];
}

/** @param {Load} load @param {Effort} effort @returns {Promise<Row[]>} */
function heapRow(load, effort) {
  const marks = [0.3, 0.6, 1].map((part) => part * effort.tasks);
  return withServers(['ours'], async ([server]) => {
    const { port, memory } = /** @type {Server} */ (server);
    /** @type {Row[]} */
    const rows = [];
    let sent = 0;
    for (const mark of marks) {
      await load.run('send', { port, name: 'sendRpc', count: mark - sent, concurrency: CONCURRENCY });
      sent = mark;
      const title = `Heap after ${mark.toLocaleString('fr').replace(/\s/g, ' ')} finished tasks, 10 000 kept`;
      rows.push({ title, unit: 'MiB', values: { ours: (await memory()) / KIB / KIB } });
    }
    return rows;
  });
}

/** Rows by the name that `--only` takes. */
export const ROWS = {
  send: rateRow('SendMessage, JSON-RPC', 'sendRpc', ['ours', 'official', 'bare']),
  rest: rateRow('SendMessage, HTTP+JSON', 'sendRest', ['ours', 'official']),
  stream: rateRow('SendStreamingMessage', 'streamQuick', ['ours', 'official'], 'streams/s'),
  get: rateRow('GetTask', 'getTask', ['ours', 'official']),
  chunks: chunkRows,
  push: pushRow,
  subscribers: subscriberRow,
  heap: heapRow,
  ...CLIENT_ROWS,
  ...GUARD_ROWS,
  ...BACKING_ROWS,
};
