import { ConfigurableModuleBuilder, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { NotificationLedger } from '../interfaces/notification-ledger.js';
import { UrlGuard } from '../interfaces/url-guard.js';
import { PublicUrlGuard } from '../network/public-url-guard.js';
import { trimSlashes } from '../protocol/join-url.js';
import { NotificationChecks } from './checks/notification-checks.js';
import { MemoryNotificationLedger } from './memory-notification-ledger.js';
import { NotificationHandlers } from './notification-handlers.js';
import { NotificationReceiver } from './notification-receiver.js';
import { createWebhookController } from './webhook.controller.js';
import { WebhookGate } from './webhook-gate.js';
import { checkWebhookOptions } from './webhook-problems.js';
import {
  A2A_WEBHOOK_OPTIONS,
  A2A_WEBHOOK_ROUTE,
  A2A_WEBHOOK_URL_GUARD,
  resolveWebhookOptions,
  type A2AWebhookModuleExtras,
  type A2AWebhookModuleOptions,
  type ResolvedWebhookOptions,
  type WebhookRoute,
} from './webhook-options.js';

/** What a class must have that is given to `forRootAsync({ useClass })` or `useExisting`. */
export interface A2AWebhookOptionsFactory {
  createA2AWebhookOptions(): Promise<A2AWebhookModuleOptions> | A2AWebhookModuleOptions;
}

const GIVEN_OPTIONS = Symbol('A2A_WEBHOOK_GIVEN_OPTIONS');
const DEFAULT_PATH = 'a2a/notifications';

const PROVIDERS: readonly Provider[] = [
  {
    provide: A2A_WEBHOOK_OPTIONS,
    inject: [GIVEN_OPTIONS, A2A_WEBHOOK_ROUTE],
    useFactory: (given: A2AWebhookModuleOptions, { path }: WebhookRoute) => {
      const options = resolveWebhookOptions(given);
      checkWebhookOptions(options, path);
      return options;
    },
  },
  {
    provide: NotificationLedger,
    inject: [A2A_WEBHOOK_OPTIONS, ModuleRef],
    useFactory: ({ ledger, deduplication }: ResolvedWebhookOptions, moduleRef: ModuleRef) => {
      if (typeof ledger === 'function') return moduleRef.create(ledger);
      return ledger ?? new MemoryNotificationLedger(deduplication.maxKept);
    },
  },
  {
    provide: A2A_WEBHOOK_URL_GUARD,
    inject: [A2A_WEBHOOK_OPTIONS, { token: UrlGuard, optional: true }],
    useFactory: ({ urls }: ResolvedWebhookOptions, shared?: UrlGuard) =>
      urls || !shared ? new PublicUrlGuard(urls) : shared,
  },
  NotificationChecks,
  NotificationHandlers,
  NotificationReceiver,
  WebhookGate,
];

/** The extras are known synchronously, also in forRootAsync(), so that the route can depend on them. */
function addProviders(
  definition: DynamicModule,
  { path, decorators }: A2AWebhookModuleExtras,
): DynamicModule {
  const route = trimSlashes(path ?? DEFAULT_PATH);
  const controller = createWebhookController(route, decorators ?? []);
  return {
    ...definition,
    imports: [...(definition.imports ?? []), DiscoveryModule],
    controllers: [controller],
    providers: [
      ...(definition.providers ?? []),
      { provide: A2A_WEBHOOK_ROUTE, useValue: { path: route, controller } },
      ...PROVIDERS,
    ],
    exports: [NotificationLedger],
  };
}

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<A2AWebhookModuleOptions>({ optionsInjectionToken: GIVEN_OPTIONS })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createA2AWebhookOptions')
    .setExtras<A2AWebhookModuleExtras>({}, addProviders)
    .build();
