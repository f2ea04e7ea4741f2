import { Logger, Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { NotificationChecks } from './checks/notification-checks.js';
import { NotificationHandlers } from './notification-handlers.js';
import { WebhookGate } from './webhook-gate.js';
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type OPTIONS_TYPE,
} from './webhook.module-definition.js';

/**
 * Receives the push notifications of agents (§4.3): a route that checks where they come from, and hands them to the methods with
 * `@OnPushNotification()`. It needs no `A2AModule`.
 *
 * @publicApi
 * @example
 * @Module({
 *   imports: [A2AWebhookModule.forRoot({ path: 'webhooks/a2a', token: process.env.WEBHOOK_TOKEN })],
 *   providers: [OrderUpdates],
 * })
 * export class AppModule {}
 */
@Module({})
export class A2AWebhookModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  readonly #logger = new Logger('A2AWebhookModule');

  constructor(
    private readonly gate: WebhookGate,
    private readonly checks: NotificationChecks,
    private readonly handlers: NotificationHandlers,
  ) {
    super();
  }

  /** @throws at boot, when options are wrong or nothing would be checked. */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return super.forRoot(options);
  }

  /** The same with options that are made by a factory, a class or an existing provider; `path` and `decorators` are given beside it. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }

  onApplicationBootstrap(): void {
    const { names } = this.handlers;
    if (names.length === 0) {
      this.#logger.warn(
        'Nothing handles push notifications: decorate a method of a provider with @OnPushNotification()',
      );
    }
    if (this.checks.names.length === 0) {
      this.#logger.warn('Push notifications are taken from everybody, as insecure: true says');
    }
    const checked = this.checks.names.join(', ') || 'nothing is checked';
    this.#logger.log(`Push notifications at POST ${this.gate.path} {${checked}} for ${names.join(', ')}`);
  }
}
