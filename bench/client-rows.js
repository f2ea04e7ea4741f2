// @ts-check
// CPU time of clients, each in a process of its own, against answers that cost the server nothing to find.
import { startDriver, startServer } from './processes.js';
import { median } from './statistics.js';

/** @import { Effort, Load, Row } from './rows.js' */
/** @import { Binding } from './clients/driver.js' */

const CLIENTS = /** @type {const} */ (['ours', 'official']);
const CONCURRENCY = 8;

/** @param {'call' | 'stream'} kind @param {{ perSecond: number, title: string, unit: string }} what */
function clientRow(kind, { perSecond, title, unit }) {
  /** @param {Load} _load @param {Effort} effort @returns {Promise<Row[]>} */
  return async (_load, effort) => {
    const server = await startServer('canned');
    const drivers = CLIENTS.map((name) => ({ name, driver: startDriver(name) }));
    try {
      /** @type {Row[]} */
      const rows = [];
      for (const binding of /** @type {Binding[]} */ (['JSONRPC', 'HTTP+JSON'])) {
        /** @type {Record<string, number[]>} */
        const figures = { ours: [], official: [] };
        const drive = {
          port: server.port,
          binding,
          kind,
          count: Math.ceil((perSecond * effort.ms) / 1_000),
          concurrency: CONCURRENCY,
        };
        for (let round = -1; round < effort.rounds; round++) {
          for (const { name, driver } of drivers) {
            const figure = await driver.run(drive);
            if (round >= 0) figures[name]?.push(figure);
          }
        }
        const values = Object.fromEntries(CLIENTS.map((name) => [name, median(figures[name] ?? [])]));
        const over = binding === 'JSONRPC' ? 'JSON-RPC' : 'HTTP+JSON';
        rows.push({ title: `${title}, ${over}`, unit, values });
      }
      return rows;
    } finally {
      for (const { driver } of drivers) await driver.stop();
      await server.stop();
    }
  };
}

export const CLIENT_ROWS = {
  'client-call': clientRow('call', { perSecond: 1_000, title: 'Client: a call', unit: 'µs of CPU' }),
  'client-event': clientRow('stream', {
    perSecond: 15,
    title: 'Client: an event of a stream',
    unit: 'µs of CPU',
  }),
};
