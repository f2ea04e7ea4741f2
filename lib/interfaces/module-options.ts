import type { InjectionToken, Type } from '@nestjs/common';
import type { AgentRegistry } from './agent-registry.js';
import type { A2AAudit } from './audit.js';
import type { CardSigningOptions } from './card-signing.js';
import type { IdGenerator } from './id-generator.js';
import type { LimitOptions } from './limit-options.js';
import type { OwnerResolver } from './owner-resolver.js';
import type { PushNotificationConfigStore } from './push-notification-config-store.js';
import type { PushNotificationMonitor } from './push-notification-monitor.js';
import type { PushNotificationSender } from './push-notification-sender.js';
import type { PushOptions, ResolvedPushOptions } from './push-options.js';
import type { QueueManager } from './queue-manager.js';
import type { RequestHandler } from './request-handler.js';
import type { SecretsOptions } from './secrets-options.js';
import type { ServerCallContextBuilder } from './server-call-context.js';
import type { SkillRouter } from './skill-router.js';
import type { TaskReader } from './task-reader.js';
import type { TaskRunner } from './task-runner.js';
import type { TaskStore } from './task-store.js';
import type { UrlGuard } from './url-guard.js';
import type { UrlGuardOptions } from './url-guard-options.js';

/** An implementation of a port: an instance, or a class that Nest instantiates. */
export type PortOption<T> = T | Type<T>;

/** How runs are paced, canceled and bounded. Times in ms. */
export interface ExecutionOptions {
  /** How long a canceled run may take to end by itself. Default 5 000. */
  readonly cancelGraceMs?: number;
  /** A task that has not begun by then is published as SUBMITTED. Default 1 000. */
  readonly firstEventMs?: number;
  /** The same for sends with returnImmediately. Default 50. */
  readonly immediateFirstEventMs?: number;
  /** Messages that may wait for a run of their task. Default 16. */
  readonly maxPendingMessages?: number;
  /** Events that an executor may be ahead of the log. Default 64. */
  readonly runAheadEvents?: number;
  /** Bytes that an executor may be ahead of the log. Default 262 144. */
  readonly runAheadBytes?: number;
  /** Values that an Observable executor may emit ahead of the log before the task fails. Default 1 024. */
  readonly observableBuffer?: number;
  /** How long a run may be silent towards the log before another may take its task over. Default 15 000. */
  readonly leaseTtlMs?: number;
  /** How often a run says that it is alive. Default 5 000. */
  readonly leaseRenewMs?: number;
  /** How long a message may wait until a run takes it, where runs are on other processes. Default 10 000. */
  readonly startTimeoutMs?: number;
  /** How long running tasks may go on at shutdown. Default 5 000. */
  readonly drainMs?: number;
}

/** When finished tasks are forgotten, and when live ones are given up. Times in ms. */
export interface RetentionOptions {
  /** 0 keeps for ever. Default 3 600 000 for stores in memory, else 0. */
  readonly finishedTtlMs?: number;
  /** Finished tasks that are kept; 0 keeps all. Default 10 000 for stores in memory, else 0. */
  readonly maxFinished?: number;
  /** Logs of finished tasks that are kept, to resume streams from. Default 1 000. 0 keeps all. */
  readonly maxFinishedLogs?: number;
  /** How long the log of a finished task can still be resumed from. Default 600 000. 0 keeps for ever. */
  readonly finishedLogTtlMs?: number;
  /** Live tasks whose status did not change for so long are FAILED as expired. Default 604 800 000 (7 days). */
  readonly maxAgeMs?: number;
  /** How often to look. Default 60 000. */
  readonly intervalMs?: number;
}

/** How tasks are found whose process was lost. Times in ms. */
export interface RecoveryOptions {
  /** How often to look for tasks that nobody works on though somebody should; give or take a fifth. Default 5 000. 0 never looks. */
  readonly sweepMs?: number;
  /** How often to look for live tasks whose log was lost; also once at boot. Default 600 000. 0 never looks. */
  readonly lostLogsMs?: number;
  /** Runs for one message, the interrupted ones included, before its task fails. Default 3. */
  readonly maxAttempts?: number;
}

/** Sends that may be repeated: the same messageId of the same caller starts nothing twice. */
export interface IdempotencyOptions {
  /** For how long a repeated send is recognised, in ms. Default 0: not at all. */
  readonly windowMs?: number;
}

/** Limits and habits of the HTTP bindings. */
export interface TransportOptions {
  /** Largest request body in bytes. Default 10 485 760. */
  readonly bodyLimit?: number;
  /** Deepest JSON nesting. Default 64. */
  readonly maxDepth?: number;
  /** Comment lines on silent streams, in ms; 0 sends none. Default 15 000. */
  readonly keepAliveMs?: number;
  /** A stream whose socket takes nothing for so long is destroyed, in ms. Default 30 000. */
  readonly writeTimeoutMs?: number;
  /** Ends a subscription that had no event for so long, in seconds; 0 never. Default 0. */
  readonly maxSubscribeIdleSeconds?: number;
  /** Request headers that executors may see (`call.headers`), lower case. */
  readonly forwardHeaders?: readonly string[];
}

/** Cross-origin access to cards and bindings; true allows every origin. */
export type CorsOption = boolean | { readonly origin: readonly string[] };

/** Options of `A2AModule.forRoot()`. */
export interface A2AModuleOptions {
  /** Origin (and path prefix of a proxy) under which clients reach the application, e.g. `https://api.example.com/agents`. */
  readonly publicUrl?: string;
  /** Behind proxies: derive the card's URLs from `X-Forwarded-Proto`, `-Host` and `-Prefix`. Default false. */
  readonly trustForwardedHeaders?: boolean;
  /** `max-age` of the public card in seconds. Default 3 600. */
  readonly cardMaxAge?: number;
  readonly cors?: CorsOption;
  /** Signs the cards (§8.4). Needs `publicUrl`, since a signature covers the URLs. Default: they are not signed. */
  readonly signing?: CardSigningOptions;
  /** Refuse parts whose media type the agent does not declare (-32005). Default true. */
  readonly checkInputModes?: boolean;
  /** Statuses of the error table: of spec v1.0.0 (default), or v1.0.1. */
  readonly specPatch?: '1.0.0' | '1.0.1';
  /** Shows the extended card to unauthenticated callers. Only for tests: it defeats the card's purpose. Default false. */
  readonly openExtendedCard?: boolean;
  readonly transport?: TransportOptions;
  readonly execution?: ExecutionOptions;
  readonly retention?: RetentionOptions;
  readonly recovery?: RecoveryOptions;
  readonly idempotency?: IdempotencyOptions;
  /** How much callers may ask for. */
  readonly limits?: LimitOptions;
  readonly push?: PushOptions;

  /** Which URLs of others are connected to: webhooks and `url` parts. By default only public ones. */
  readonly urls?: UrlGuardOptions;

  /** Keys that seal the credentials and tokens of webhooks before they are stored. Default: they are stored as they came. */
  readonly secrets?: SecretsOptions;

  readonly taskStore?: PortOption<TaskStore>;
  readonly queueManager?: PortOption<QueueManager>;
  readonly taskRunner?: PortOption<TaskRunner>;
  readonly pushNotificationConfigStore?: PortOption<PushNotificationConfigStore>;
  readonly pushNotificationSender?: PortOption<PushNotificationSender>;
  readonly pushNotificationMonitor?: PortOption<PushNotificationMonitor>;
  readonly serverCallContextBuilder?: PortOption<ServerCallContextBuilder>;
  readonly ownerResolver?: PortOption<OwnerResolver>;
  readonly idGenerator?: PortOption<IdGenerator>;
  readonly skillRouter?: PortOption<SkillRouter>;
  readonly taskReader?: PortOption<TaskReader>;
  readonly requestHandler?: PortOption<RequestHandler>;
  readonly agentRegistry?: PortOption<AgentRegistry>;
  readonly urlGuard?: PortOption<UrlGuard>;
  readonly audit?: PortOption<A2AAudit>;
}

/** Options that must be known before any provider exists. */
export interface A2AModuleExtras {
  /** Path below which all agents are served, below the global prefix. Default: none. */
  readonly path?: string;
  /** Default true. */
  readonly isGlobal?: boolean;
  /** False serves nothing over HTTP: for worker processes. Default true. */
  readonly controllers?: boolean;
}

/** The options of the module with every default filled in: the one place where defaults live. */
export interface ResolvedOptions {
  readonly publicUrl?: string;
  readonly trustForwardedHeaders: boolean;
  readonly cardMaxAge: number;
  readonly cors: CorsOption;
  readonly signing?: CardSigningOptions & Required<Pick<CardSigningOptions, 'jwksPath'>>;
  /** The UrlGuard has defaults of its own. */
  readonly urls?: UrlGuardOptions;
  readonly checkInputModes: boolean;
  readonly specPatch: '1.0.0' | '1.0.1';
  readonly openExtendedCard: boolean;
  readonly transport: Required<TransportOptions>;
  readonly execution: Required<ExecutionOptions>;
  readonly recovery: Required<RecoveryOptions>;
  readonly idempotency: Required<IdempotencyOptions>;
  readonly limits: Required<LimitOptions>;
  readonly push: ResolvedPushOptions;
  /** What depends on the store is filled in where the store is known. */
  readonly retention: RetentionOptions & Required<Omit<RetentionOptions, 'finishedTtlMs' | 'maxFinished'>>;
}

/** Token of the resolved options. */
export const A2A_OPTIONS: InjectionToken<ResolvedOptions> = Symbol('A2A_OPTIONS');
