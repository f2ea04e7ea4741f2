import type { InjectionToken } from '@nestjs/common';
import type { ConnectionOptions, Queue } from 'bullmq';

/** `web` accepts messages and runs nothing, `worker` runs executors, `all` does both. */
export type BullMqRole = 'web' | 'worker' | 'all';

/** Options of `A2ABullMqModule.forRoot()`. */
export interface A2ABullMqOptions {
  readonly role: BullMqRole;
  /** Where BullMQ's Redis is, as `redis://host:port`. Default: the connection of `BullModule.forRoot()`. */
  readonly url?: string;
  /** The same as options of ioredis, or as its instance. */
  readonly connection?: ConnectionOptions;
  /** Before the names of BullMQ's keys. Default: that of `BullModule.forRoot()`, else `bull`. */
  readonly prefix?: string;
  /** Tasks that this worker runs at a time. Default 10. */
  readonly concurrency?: number;
}

/** Options that must be known before any provider exists. */
export interface A2ABullMqExtras {
  /** Name of the queue, without colons. Default `a2a-runs`. */
  readonly queue?: string;
  /** Which configuration of `BullModule.forRoot()` is meant, where there are several. */
  readonly configKey?: string;
}

/** The options with every default filled in. */
export type ResolvedBullMqOptions = A2ABullMqOptions & Required<Pick<A2ABullMqOptions, 'concurrency'>>;

/** Token of the resolved options. */
export const A2A_BULLMQ_OPTIONS: InjectionToken<ResolvedBullMqOptions> = Symbol('A2A_BULLMQ_OPTIONS');

/** Token of the queue; it has the one of `@InjectQueue()` as well. */
export const A2A_RUN_QUEUE: InjectionToken<Queue> = Symbol('A2A_RUN_QUEUE');

export const DEFAULT_QUEUE = 'a2a-runs';

const ROLES: readonly string[] = ['web', 'worker', 'all'];

/** Fills in the defaults. Throws when the role is none. */
export function resolveBullMqOptions(options: A2ABullMqOptions): ResolvedBullMqOptions {
  const { role, concurrency = 10 } = options;
  if (!ROLES.includes(role))
    throw new Error(`A2ABullMqModule: the role is ${JSON.stringify(role)}; give one of ${ROLES.join(', ')}`);
  return { ...options, concurrency };
}
