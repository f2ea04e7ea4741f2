// @ts-check
// What tasks and their logs can be kept in, each with a database and a part of Redis of its own that go afterwards.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';

const POSTGRES_URL = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
const MARIADB_URL = process.env.MARIADB_URL ?? 'mysql://root@127.0.0.1:3306';
const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';

/** Variables of the scripted agent. */
export const BACKINGS = /** @type {const} */ ({
  memory: { STORE: 'memory', QUEUE: 'memory' },
  sqlite: { STORE: 'sqlite', QUEUE: 'typeorm' },
  postgres: { STORE: 'postgres', QUEUE: 'typeorm' },
  mariadb: { STORE: 'mariadb', QUEUE: 'typeorm' },
  redis: { STORE: 'postgres', QUEUE: 'redis' },
  workers: { STORE: 'postgres', QUEUE: 'redis', RUNNER: 'bullmq' },
});

/** @typedef {keyof typeof BACKINGS} BackingName */
/** @typedef {{ env: NodeJS.ProcessEnv, drop: () => Promise<void> }} Opened */

/**
 * Works with a backing of its own; undefined when one of its servers cannot be reached.
 * @template T
 * @param {BackingName} name @param {(env: NodeJS.ProcessEnv) => Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
export async function withBacking(name, work) {
  const unique = `nest_a2a_bench_${randomBytes(6).toString('hex')}`;
  const { STORE, QUEUE } = BACKINGS[name];
  /** @type {Opened[]} */
  const opened = [];
  try {
    try {
      opened.push(await STORES[STORE](unique));
      if (QUEUE === 'redis') opened.push(await redis(unique));
    } catch (error) {
      console.error(`${name} is not measured: ${describe(error)}`);
      return undefined;
    }
    return await work(Object.assign({}, BACKINGS[name], ...opened.map(({ env }) => env)));
  } finally {
    for (const { drop } of opened) await drop();
  }
}

/** @satisfies {Record<string, (name: string) => Promise<Opened>>} */
const STORES = {
  memory: async () => ({ env: {}, drop: async () => {} }),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nest-a2a-bench-'));
    return {
      env: { DATABASE_URL: join(folder, 'tasks.sqlite') },
      drop: () => rm(folder, { recursive: true }),
    };
  },
  postgres: (name) => database(POSTGRES_URL, name, ' WITH (FORCE)', inPostgres),
  mariadb: (name) => database(MARIADB_URL, name, '', inMariadb),
};

/** @param {string} url @param {string} name @param {string} force @param {(statement: string) => Promise<void>} run @returns {Promise<Opened>} */
async function database(url, name, force, run) {
  await run(`CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { env: { DATABASE_URL: own.href }, drop: () => run(`DROP DATABASE ${name}${force}`) };
}

/** @param {string} statement */
async function inPostgres(statement) {
  const client = new pg.Client({ connectionString: POSTGRES_URL, connectionTimeoutMillis: 2_000 });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** @param {string} statement */
async function inMariadb(statement) {
  const connection = await createConnection({ uri: MARIADB_URL, connectTimeout: 2_000 });
  await connection.query(statement).finally(() => connection.end());
}

/** @param {string} prefix @returns {Promise<Opened>} */
async function redis(prefix) {
  const client = new Redis(REDIS_URL, { retryStrategy: null, connectTimeout: 2_000, lazyConnect: true });
  client.on('error', () => {});
  await client.connect();
  const drop = async () => {
    for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 }))
      if (keys.length > 0) await client.unlink(keys);
    await client.quit();
  };
  return { env: { REDIS_URL, REDIS_PREFIX: prefix }, drop };
}

/** Errors of several addresses have no message of their own. @param {any} error */
function describe(error) {
  return error.message || error.code || String(error);
}
