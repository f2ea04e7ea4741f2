import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { describe } from 'vitest';

/** The servers that tests may need. Without them their tests are skipped, except under CI=true, where they must run. */
export type ServerKind = 'postgres' | 'mariadb' | 'redis';

const PORTS: Readonly<Record<ServerKind, number>> = { postgres: 5432, mariadb: 3306, redis: 6379 };

/** Address of PostgreSQL, with a database whose owner may create others. DATABASE_URL. */
export function postgresUrl(): string {
  return process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
}

/** Address of MariaDB or MySQL, with a user who may create databases. MARIADB_URL. */
export function mariadbUrl(): string {
  return process.env.MARIADB_URL ?? 'mysql://root@127.0.0.1:3306';
}

/** REDIS_URL. */
export function redisUrl(): string {
  return process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
}

/** A name for a database, a schema or a prefix that no other test file has. */
export function uniqueName(what: string): string {
  return `nest_a2a_${what}_${randomBytes(6).toString('hex')}`;
}

/** The same address with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** A suite that needs a server, and says so in its name. */
export function describeWithServer(name: string, kind: ServerKind, body: () => void): void {
  const runs = process.env.CI === 'true' || reachable[kind];
  describe.skipIf(!runs)(`${name} (needs ${kind})`, body);
}

const reachable: Readonly<Record<ServerKind, boolean>> = {
  postgres: await answers(postgresUrl(), 'postgres'),
  mariadb: await answers(mariadbUrl(), 'mariadb'),
  redis: await answers(redisUrl(), 'redis'),
};

function answers(url: string, kind: ServerKind): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || PORTS[kind]), timeout: 2_000 });
    const settle = (reached: boolean): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}
