// @ts-check
// What the guard of a scheme costs a send.
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { startServer } from './processes.js';
import { median } from './statistics.js';

/** @import { Effort, Load } from './rows.js' */

export const GUARDS = /** @type {const} */ (['none', 'cached', 'uncached']);
const CONCURRENCY = 32;

/** @typedef {(typeof GUARDS)[number]} GuardName */
/** @typedef {{ title: string, unit: string, guards: Record<GuardName, number> }} GuardRow */

/** All three get the same request: who guards nothing looks at no token. @param {Load} load @param {Effort} effort @returns {Promise<GuardRow[]>} */
async function guardRow(load, effort) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const token = await new SignJWT({ scope: 'bench' })
    .setProtectedHeader({ alg: 'ES256' })
    .setSubject('bench')
    .setIssuer('bench')
    .setAudience('bench')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  const GUARD_KEY = JSON.stringify(await exportJWK(publicKey));
  const servers = [];
  try {
    for (const GUARD of GUARDS)
      servers.push({ GUARD, server: await startServer('guarded', { GUARD, GUARD_KEY }) });
    const figures = { none: [0], cached: [0], uncached: [0] };
    for (let round = 0; round <= effort.rounds; round++) {
      for (const { GUARD, server } of servers) {
        const ms = round === 0 ? effort.warmUpMs : effort.ms;
        const job = { port: server.port, name: 'sendAs', ids: [token], ms, concurrency: CONCURRENCY };
        const rate = await load.run('rate', job);
        // The first round is for warming up.
        figures[GUARD][Math.max(round - 1, 0)] = rate;
      }
    }
    const guards = {
      none: median(figures.none),
      cached: median(figures.cached),
      uncached: median(figures.uncached),
    };
    return [{ title: 'SendMessage, JSON-RPC', unit: 'requests/s', guards }];
  } finally {
    for (const { server } of servers) await server.stop();
  }
}

export const GUARD_ROWS = { guard: guardRow };
