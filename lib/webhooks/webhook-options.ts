import type { InjectionToken, Type } from '@nestjs/common';
import type { JsonWebKey } from '../interfaces/card-signing.js';
import type { PortOption } from '../interfaces/module-options.js';
import type { NotificationLedger } from '../interfaces/notification-ledger.js';
import type { NotificationSecret } from '../interfaces/notification-signing.js';
import type { UrlGuard } from '../interfaces/url-guard.js';
import type { UrlGuardOptions } from '../interfaces/url-guard-options.js';
import type { StreamResponse } from '../protocol/model.js';

type Awaitable<T> = T | Promise<T>;

/**
 * A secret that notifications must bring: the same for all (several while it changes), that of a task, or whatever a function approves. A
 * function of the task that answers nothing refuses.
 */
export type ExpectedSecret =
  | string
  | readonly string[]
  | ((taskId: string) => Awaitable<string | undefined>)
  | { readonly validate: (given: string, taskId: string | undefined) => Awaitable<boolean> };

/**
 * The credentials of the webhook's config. They come as `Authorization: <scheme> <credentials>`; for Basic they are the base64 of name and
 * password. `header` names another header whose whole value they are.
 */
export type CredentialsCheck =
  | { readonly scheme: string; readonly expected: ExpectedSecret }
  | { readonly header: string; readonly expected: ExpectedSecret };

/** Whose signature notifications must have. */
export interface SignatureCheck {
  /** The webhook as it stands in the configs: a signature is for one receiver. */
  readonly url: string | readonly string[];
  /** Secrets that the sender shares; several while one is replaced. */
  readonly hmac?: readonly NotificationSecret[];
  /** Public keys of the sender, or where they are: https unless it is on this machine, and the UrlGuard has to let it through. */
  readonly jwks?: string | URL | { readonly keys: readonly JsonWebKey[] };
  /** How old a signature may be, and by how much clocks may differ. Default 300. */
  readonly toleranceSeconds?: number;
}

/** How repeated notifications are recognised. Times in ms. */
export interface DeduplicationOptions {
  /** For how long a notification is remembered. Default 86 400 000 (a day). */
  readonly keepMs?: number;
  /** Notifications that the default ledger remembers; beyond it forgets the oldest. Default 10 000. */
  readonly maxKept?: number;
  /** After which another process may take a notification that one took and never finished. Default 300 000. */
  readonly claimMs?: number;
}

/** Options of `A2AWebhookModule.forRoot()`. At least one of `token`, `credentials` and `signature` is needed. */
export interface A2AWebhookModuleOptions {
  /** What `X-A2A-Notification-Token` must be. */
  readonly token?: ExpectedSecret;
  readonly credentials?: CredentialsCheck;
  readonly signature?: SignatureCheck;
  /** Whether notifications of a task are expected; without it those of all tasks are. Throw UnavailableError when that is not known yet. */
  readonly task?: (taskId: string, event: StreamResponse) => Awaitable<boolean>;
  /** Takes notifications of everybody. Default false. */
  readonly insecure?: boolean;
  /** Largest body in bytes. Default 10 485 760. */
  readonly bodyLimit?: number;
  /** Deepest JSON nesting. Default 64. */
  readonly maxDepth?: number;
  readonly deduplication?: DeduplicationOptions;
  /** Remembers what was handled. Default: in the memory of this process. */
  readonly ledger?: PortOption<NotificationLedger>;
  /** Which places `signature.jwks` may be fetched from. Default: the UrlGuard of A2AModule where the application has it, else public ones. */
  readonly urls?: UrlGuardOptions;
}

/** Options that must be known before any provider exists. */
export interface A2AWebhookModuleExtras {
  /** Path of the webhook, below the global prefix. Default `a2a/notifications`. */
  readonly path?: string;
  /** Decorators for the controller, as to exempt it from a global guard. */
  readonly decorators?: readonly ClassDecorator[];
}

/** The options with every default filled in. */
export type ResolvedWebhookOptions = A2AWebhookModuleOptions &
  Required<Pick<A2AWebhookModuleOptions, 'bodyLimit' | 'maxDepth'>> & {
    readonly deduplication: Required<DeduplicationOptions>;
  };

/** Token of the resolved options. */
export const A2A_WEBHOOK_OPTIONS: InjectionToken<ResolvedWebhookOptions> = Symbol('A2A_WEBHOOK_OPTIONS');

/** Where a webhook is. */
export interface WebhookRoute {
  /** Without slashes at the ends. */
  readonly path: string;
  readonly controller: Type;
}

/** Token of the webhook's route. */
export const A2A_WEBHOOK_ROUTE: InjectionToken<WebhookRoute> = Symbol('A2A_WEBHOOK_ROUTE');

/** Token of the UrlGuard that `signature.jwks` is fetched through. */
export const A2A_WEBHOOK_URL_GUARD: InjectionToken<UrlGuard> = Symbol('A2A_WEBHOOK_URL_GUARD');

export const DEFAULT_TOLERANCE_SECONDS = 300;

/** Fills in the defaults. */
export function resolveWebhookOptions(options: A2AWebhookModuleOptions): ResolvedWebhookOptions {
  const { keepMs = 86_400_000, maxKept = 10_000, claimMs = 300_000 } = options.deduplication ?? {};
  return {
    ...options,
    bodyLimit: options.bodyLimit ?? 10 * 1024 * 1024,
    maxDepth: options.maxDepth ?? 64,
    deduplication: { keepMs, maxKept, claimMs },
  };
}
