import type { InjectionToken } from '@nestjs/common';
import { badNumbers } from '../interfaces/bad-numbers.js';
import { A2ATypeOrmBootError } from './boot-error.js';

/** How the adapter uses SQLite. */
export interface SqliteOptions {
  /** The database file; default that of the application's DataSource. With it no DataSource is needed. */
  readonly file?: string;
  /**
   * What a commit waits for. `normal` (default) loses nothing when the process is killed, but maybe the last commits when the machine loses
   * power; `full` loses nothing then either, and costs a sync of the disk for each commit.
   */
  readonly synchronous?: 'normal' | 'full';
}

/** Options of `A2ATypeOrmModule.forRoot()`. */
export interface A2ATypeOrmOptions {
  /** Creates missing tables and brings older ones up to date on boot, one process at a time. Default false: the application's own migrations do. */
  readonly runMigrations?: boolean;
  readonly sqlite?: SqliteOptions;
  /** How long a statement that met a lock or a deadlock is tried again, in ms. Default 10 000. */
  readonly retryMs?: number;
  /** How soon readers look again for new records where the database cannot notify them, in ms; less often while nothing comes. Default 25. */
  readonly pollMs?: number;
}

/** Options that must be known before any provider exists. */
export interface A2ATypeOrmExtras {
  /** Before the names of all tables. Letters, digits and underscores. Default `a2a_`. */
  readonly tablePrefix?: string;
  /** Name of the application's DataSource. Default: the one without a name. */
  readonly dataSource?: string;
}

/** The options with every default filled in. */
export interface ResolvedTypeOrmOptions {
  readonly tablePrefix: string;
  readonly runMigrations: boolean;
  readonly sqlite: SqliteOptions;
  readonly retryMs: number;
  readonly pollMs: number;
}

/** Token of the resolved options. */
export const A2A_TYPEORM_OPTIONS: InjectionToken<ResolvedTypeOrmOptions> = Symbol('A2A_TYPEORM_OPTIONS');

export const DEFAULT_TABLE_PREFIX = 'a2a_';

/** Throws A2ATypeOrmBootError for numbers that cannot be. */
export function resolveTypeOrmOptions(
  options: A2ATypeOrmOptions,
  { tablePrefix }: A2ATypeOrmExtras,
): ResolvedTypeOrmOptions {
  const problems = badNumbers(options);
  if (problems.length > 0) throw new A2ATypeOrmBootError(`A2ATypeOrmModule: ${problems.join('; ')}`);
  return {
    tablePrefix: tablePrefix ?? DEFAULT_TABLE_PREFIX,
    runMigrations: options.runMigrations ?? false,
    sqlite: options.sqlite ?? {},
    retryMs: options.retryMs ?? 10_000,
    pollMs: options.pollMs ?? 25,
  };
}
