import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { type BackingSettings, readBacking } from '../fixtures/backing/backing-settings.js';
import { EnvironmentReader } from '../fixtures/environment.js';
import { runFolder } from '../fixtures/scripted-agent/shared-run-counter.js';
import { removeKeys } from './redis-keys.js';
import { lookThroughRows } from './secrets/look-through-rows.js';
import { mariadbUrl, postgresUrl, redisUrl, type ServerKind, uniqueName, withDatabase } from './servers.js';

/** STORE, QUEUE and RUNNER of the fixtures. */
export interface BackingKind {
  readonly STORE: BackingSettings['store'];
  readonly QUEUE: BackingSettings['queue'];
  readonly RUNNER?: BackingSettings['runner'];
}

/** A database and a part of Redis of their own for some tests, which go when they are done. */
export interface Backing {
  /** For fixtures in processes. */
  readonly env: Readonly<Record<string, string>>;
  /** For `loadBacking()`, in the process of a test. */
  readonly settings: BackingSettings;
  drop(): Promise<void>;
}

/** The servers that a backing is on. */
export function serversOf({ STORE, QUEUE, RUNNER }: BackingKind): ServerKind[] {
  const needsRedis = QUEUE === 'redis' || RUNNER === 'bullmq';
  return [
    ...(STORE === 'postgres' || STORE === 'mariadb' ? [STORE] : []),
    ...(needsRedis ? ['redis' as const] : []),
  ];
}

export async function createBacking(kind: BackingKind): Promise<Backing> {
  const name = uniqueName('replicas');
  const database = await DATABASES[kind.STORE](name);
  const env = { ...kind, DATABASE_URL: database.url, REDIS_URL: redisUrl(), REDIS_PREFIX: name };
  const settings = readBacking(new EnvironmentReader(env));
  return {
    env,
    settings,
    drop: async () => {
      await database.drop();
      await rm(runFolder(settings), { recursive: true, force: true });
      if (serversOf(kind).includes('redis')) await removeKeys(name);
    },
  };
}

interface Database {
  readonly url: string;
  drop(): Promise<void>;
}

const DATABASES: Readonly<Record<BackingSettings['store'], (name: string) => Promise<Database>>> = {
  memory: async () => ({ url: '', drop: async () => {} }),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nest-a2a-replicas-'));
    const url = join(folder, 'tasks.sqlite');
    return {
      url,
      drop: async () => {
        await lookThroughRows({ type: 'better-sqlite3', database: url });
        await rm(folder, { recursive: true });
      },
    };
  },
  postgres: (name) => onServer('postgres', postgresUrl(), name, ' WITH (FORCE)'),
  mariadb: (name) => onServer('mariadb', mariadbUrl(), name, ''),
};

async function onServer(
  type: 'postgres' | 'mariadb',
  url: string,
  name: string,
  force: string,
): Promise<Database> {
  const administer = async (statement: string): Promise<void> => {
    const source = await new DataSource({ type, url }).initialize();
    try {
      await source.query(statement);
    } finally {
      await source.destroy();
    }
  };
  await administer(`CREATE DATABASE ${name}`);
  const own = withDatabase(url, name);
  return {
    url: own,
    drop: async () => {
      await lookThroughRows({ type, url: own });
      await administer(`DROP DATABASE ${name}${force}`);
    },
  };
}
