import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ContextIdFactory, DiscoveryService, ModuleRef } from '@nestjs/core';
import { Injector, type InstanceWrapper } from '@nestjs/core/internal';
import { getPushNotificationMethods } from '../decorators/metadata.js';
import {
  matchesFilter,
  type NotificationDelivery,
  type PushNotificationFilter,
  type PushNotificationHandler,
} from '../interfaces/push-notification.js';
import { InternalError, UnavailableError } from '../protocol/errors.js';
import type { ReadNotification } from './read-notification.js';

interface Handler {
  readonly wrapper: InstanceWrapper;
  readonly method: string;
  readonly filters: readonly PushNotificationFilter[];
  /** As in `Orders.onStatus()`. */
  readonly name: string;
}

/** Finds the methods with `@OnPushNotification()` when the application boots, and runs them. */
@Injectable()
export class NotificationHandlers implements OnModuleInit {
  readonly #logger = new Logger('A2AWebhookModule');
  readonly #injector = new Injector();
  #handlers: readonly Handler[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly moduleRef: ModuleRef,
  ) {}

  /** Names of all handlers. */
  get names(): readonly string[] {
    return this.#handlers.map(({ name }) => name);
  }

  onModuleInit(): void {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    this.#handlers = wrappers.filter(({ isAlias }) => !isAlias).flatMap(handlersOf);
  }

  /**
   * Runs every handler that wants the notification, and waits for all of them.
   * @param request the platform's, for handlers of its scope.
   * @throws UnavailableError when one did, else InternalError when one failed; the log tells which and why.
   */
  async run({ event, delivery }: ReadNotification, request: object): Promise<void> {
    const wanted = this.#handlers.filter(({ filters }) =>
      filters.some((one) => matchesFilter(one, delivery)),
    );
    const instanceOf = this.#instances(request);
    const outcomes = await Promise.allSettled(
      wanted.map(async ({ wrapper, method }) => {
        const instance = (await instanceOf(wrapper)) as Record<string, PushNotificationHandler>;
        await instance[method]!(event, delivery);
      }),
    );
    const failures = outcomes.flatMap((outcome, i) =>
      outcome.status === 'rejected' ? [{ handler: wanted[i]!, cause: outcome.reason as unknown }] : [],
    );
    if (failures.length === 0) return;
    const cause = `${failures.length} of ${wanted.length} handlers failed`;
    const error = new InternalError(undefined, { cause });
    for (const { handler, cause } of failures) this.#report(handler, delivery, error.correlationId, cause);
    throw failures.map(({ cause }) => cause).find((cause) => cause instanceof UnavailableError) ?? error;
  }

  #report({ name }: Handler, delivery: NotificationDelivery, correlationId: string, cause: unknown): void {
    const { kind, taskId, id } = delivery;
    const what = JSON.stringify({ kind, taskId, id });
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    this.#logger.error(`${name} failed on the notification ${what} [${correlationId}] ${text}`);
  }

  /** Providers of the request's scope are made once for a notification. */
  #instances(request: object): (wrapper: InstanceWrapper) => unknown {
    const contextId = ContextIdFactory.getByRequest(request);
    this.moduleRef.registerRequestByContextId(request, contextId);
    return (wrapper) => {
      if (wrapper.isDependencyTreeStatic()) return wrapper.instance;
      const { instance, host } = wrapper;
      const collection = host!.controllers.has(wrapper.token) ? host!.controllers : host!.providers;
      return this.#injector.loadPerContext(instance, host!, collection, contextId, wrapper);
    };
  }
}

function handlersOf(wrapper: InstanceWrapper): Handler[] {
  const prototype: unknown = wrapper.instance ? Object.getPrototypeOf(wrapper.instance) : undefined;
  if (typeof prototype !== 'object' || prototype === null) return [];
  return getPushNotificationMethods(prototype).map(({ method, filters }) => ({
    wrapper,
    method,
    filters,
    name: `${wrapper.name}.${method}()`,
  }));
}
