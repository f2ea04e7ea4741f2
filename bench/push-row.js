// @ts-check
// What webhooks cost those who send messages, when their receiver is slow.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startServer } from './processes.js';
import { median } from './statistics.js';

/** @import { Effort, Load, Row } from './rows.js' */

const CONCURRENCY = 32;
/** How long the receiver takes, in ms. */
const SLOW_MS = 1_000;

/** @param {Load} load @param {Effort} effort @returns {Promise<Row[]>} */
export async function pushRow(load, { rounds, ms, warmUpMs }) {
  const receiver = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.writeHead(204).end(), SLOW_MS);
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.address());
  const server = await startServer('ours', { CAPABILITIES: 'streaming,push', PUSH_ALLOW: '127.0.0.1' });
  try {
    /** @param {string} name @param {number} time @returns {Promise<number>} */
    const rate = (name, time) =>
      load.run('rate', {
        port: server.port,
        name,
        ids: [`http://127.0.0.1:${port}/hook`],
        ms: time,
        concurrency: CONCURRENCY,
      });
    await rate('sendRpc', warmUpMs);
    await rate('sendWebhook', warmUpMs);
    /** @type {number[]} */
    const without = [];
    /** @type {number[]} */
    const withWebhook = [];
    for (let round = 0; round < rounds; round++) {
      without.push(await rate('sendRpc', ms));
      withWebhook.push(await rate('sendWebhook', ms));
    }
    const kept = ((100 * median(withWebhook)) / median(without)).toFixed(0);
    const note = `${kept} % of the rate without a webhook`;
    const title = `SendMessage with a webhook whose receiver takes ${SLOW_MS} ms`;
    return [{ title, unit: 'requests/s', values: { ours: median(withWebhook) }, note }];
  } finally {
    await server.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
}
