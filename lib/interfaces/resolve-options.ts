import { defined } from './defined.js';
import type { A2AModuleOptions, ResolvedOptions } from './module-options.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Fills in the defaults of the module's options. */
export function resolveOptions(options: A2AModuleOptions): ResolvedOptions {
  return {
    publicUrl: options.publicUrl,
    trustForwardedHeaders: options.trustForwardedHeaders ?? false,
    cardMaxAge: options.cardMaxAge ?? 3_600,
    cors: options.cors ?? false,
    ...(options.signing && {
      signing: { ...options.signing, jwksPath: options.signing.jwksPath ?? '/.well-known/a2a-jwks.json' },
    }),
    ...(options.urls && { urls: options.urls }),
    checkInputModes: options.checkInputModes ?? true,
    specPatch: options.specPatch ?? '1.0.0',
    openExtendedCard: options.openExtendedCard ?? false,
    transport: {
      bodyLimit: 10 * 1024 * 1024,
      maxDepth: 64,
      keepAliveMs: 15 * SECOND,
      writeTimeoutMs: 30 * SECOND,
      maxSubscribeIdleSeconds: 0,
      forwardHeaders: ['user-agent', 'accept-language', 'x-request-id'],
      ...defined(options.transport),
    },
    execution: {
      cancelGraceMs: 5 * SECOND,
      firstEventMs: SECOND,
      immediateFirstEventMs: 50,
      maxPendingMessages: 16,
      runAheadEvents: 64,
      runAheadBytes: 256 * 1024,
      observableBuffer: 1_024,
      leaseTtlMs: 15 * SECOND,
      leaseRenewMs: 5 * SECOND,
      startTimeoutMs: 10 * SECOND,
      drainMs: 5 * SECOND,
      ...defined(options.execution),
    },
    retention: {
      maxFinishedLogs: 1_000,
      finishedLogTtlMs: 10 * MINUTE,
      maxAgeMs: 7 * 24 * 60 * MINUTE,
      intervalMs: MINUTE,
      ...defined(options.retention),
    },
    recovery: {
      sweepMs: 5 * SECOND,
      lostLogsMs: 10 * MINUTE,
      maxAttempts: 3,
      ...defined(options.recovery),
    },
    idempotency: { windowMs: 0, ...defined(options.idempotency) },
    limits: {
      parts: 100,
      metadataBytes: 64 * 1024,
      metadataMembers: 100,
      referenceTasks: 32,
      history: 1_000,
      shownHistory: 1_000,
      pushConfigs: 20,
      streamsPerOwner: 2_500,
      streams: 10_000,
      runsPerOwner: 1_000,
      runs: 5_000,
      ...defined(options.limits),
    },
    push: {
      send: true,
      timeoutMs: 10 * SECOND,
      maxAttempts: 12,
      backoffMs: SECOND / 2,
      maxBackoffMs: 5 * MINUTE,
      retryAfterMaxMs: 5 * MINUTE,
      artifactUpdates: 'coalesce',
      concurrency: 128,
      concurrencyPerOrigin: 8,
      leaseTtlMs: 30 * SECOND,
      leaseRenewMs: 10 * SECOND,
      sweepMs: 5 * SECOND,
      orphanMs: MINUTE,
      ...defined(options.push),
    },
  };
}
