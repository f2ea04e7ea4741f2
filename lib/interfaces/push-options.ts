import type { NotificationSigningOptions } from './notification-signing.js';

/** How webhooks are told of their tasks. Times in ms. */
export interface PushOptions {
  /** False sends nothing from this process: another does. Default true. */
  readonly send?: boolean;
  /** How long a webhook may take to answer. Default 10 000. */
  readonly timeoutMs?: number;
  /** Attempts at one notification before its webhook is given up. Default 12. */
  readonly maxAttempts?: number;
  /** Until the second attempt, give or take a quarter; doubled for each that follows. Default 500. */
  readonly backoffMs?: number;
  /** The longest that it grows to. Default 300 000. */
  readonly maxBackoffMs?: number;
  /** The longest that a webhook's `Retry-After` is obeyed. Default 300 000. */
  readonly retryAfterMaxMs?: number;
  /**
   * What is told of artifacts that come in chunks: `all` chunks, one by one; `coalesce`: chunks of one artifact that wait to be sent go out
   * together; `final`: artifacts as they are when they are complete. Default `coalesce`.
   */
  readonly artifactUpdates?: 'all' | 'coalesce' | 'final';
  /** Notifications under way at a time. Default 128. */
  readonly concurrency?: number;
  /** The same towards one origin, so that a slow one delays no other. Default 8. */
  readonly concurrencyPerOrigin?: number;
  /** How long webhooks are this process's that does not say it is alive. Default 30 000. */
  readonly leaseTtlMs?: number;
  /** How often it says so. Default 10 000. */
  readonly leaseRenewMs?: number;
  /** How often to look for webhooks that no process looks after; give or take a fifth. Default 5 000. */
  readonly sweepMs?: number;
  /** How long a webhook of a task that never began is kept. Default 60 000. */
  readonly orphanMs?: number;
  /** Default: notifications are not signed. */
  readonly signing?: NotificationSigningOptions;
}

/** The same with every default filled in. */
export type ResolvedPushOptions = Required<Omit<PushOptions, 'signing'>> & Pick<PushOptions, 'signing'>;
