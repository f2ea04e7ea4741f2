/** What a process of the agent is started with, as JSON in the variable CHAOS. Times in ms. */
export interface AgentSettings {
  /** Unique among all processes that ever run. */
  readonly process: string;
  readonly role: 'web' | 'worker';
  readonly port: number;
  readonly log: 'redis' | 'postgres';
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly journals: string;
  readonly leaseTtlMs: number;
  readonly leaseRenewMs: number;
  readonly cancelGraceMs: number;
  readonly drainMs: number;
  readonly startTimeoutMs: number;
  readonly sweepMs: number;
}

/** What a run asks a process for, over the IPC channel. */
export type Question =
  /** Ends a detached task through its task handle. */
  | { readonly ask: number; readonly what: 'complete'; readonly task: string }
  /** The logs that nobody works on though somebody should. */
  | { readonly ask: number; readonly what: 'abandoned' };

/** What a process says. */
export type Said =
  | { readonly ready: true }
  | { readonly answer: number; readonly value?: readonly string[]; readonly error?: string };
