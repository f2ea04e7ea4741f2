/** What this process does: `web` answers clients, `worker` runs agents, `all` does both. */
export type Role = 'web' | 'worker' | 'all';

export interface Settings {
  readonly role: Role;
  readonly port: number;
  /** PostgreSQL. Without it everything is in one SQLite file. */
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string;
  /** Begins the name of every key, so that applications share a Redis. */
  readonly redisPrefix: string;
  readonly sqliteFile: string;
  /** Where clients reach the web processes, behind a load balancer. */
  readonly publicUrl: string | undefined;
}

const ROLES: readonly string[] = ['web', 'worker', 'all'];

/** Throws when the environment makes no sense. */
export function readSettings({
  ROLE = 'all',
  PORT = '3000',
  DATABASE_URL,
  REDIS_URL = 'redis://127.0.0.1:6379',
  REDIS_PREFIX = 'distributed',
  SQLITE_FILE = 'tasks.sqlite',
  PUBLIC_URL,
}: NodeJS.ProcessEnv): Settings {
  if (!ROLES.includes(ROLE)) throw new Error(`ROLE=${ROLE}: must be one of ${ROLES.join(', ')}`);
  if (ROLE !== 'all' && !DATABASE_URL)
    throw new Error(`ROLE=${ROLE} shares its tasks with other processes: set DATABASE_URL and REDIS_URL`);
  return {
    role: ROLE as Role,
    port: Number(PORT),
    databaseUrl: DATABASE_URL,
    redisUrl: REDIS_URL,
    redisPrefix: REDIS_PREFIX,
    sqliteFile: SQLITE_FILE,
    publicUrl: PUBLIC_URL,
  };
}
