import type { Abstract, FactoryProvider, Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ExploredAgentRegistry } from './a2a.agent-registry.js';
import { A2ABootWarnings } from './a2a.boot-warnings.js';
import { A2A_EXTRAS } from './a2a.constants.js';
import { A2AExplorer } from './a2a.explorer.js';
import { AgentFeatures } from './a2a.features.js';
import { MODULE_OPTIONS_TOKEN } from './a2a.module-options-token.js';
import { sealing, Secrets } from './a2a.secrets.js';
import { A2AShutdown } from './a2a.shutdown.js';
import { AgentCardRoutes } from './agent-card/agent-card.routes.js';
import { CardSigning } from './agent-card/card-signing.js';
import { KeySigning } from './agent-card/key-signing.js';
import { LogTaskEvents } from './events/log-task-events.js';
import { LogTaskReader } from './events/log-task-reader.js';
import { MemoryQueueManager } from './events/memory-queue-manager.js';
import { AppGuards } from './guards/app-guards.js';
import { EnhancerResolver } from './guards/enhancer-resolver.js';
import { LoggerAudit } from './guards/logger-audit.js';
import { SchemeSecurity } from './guards/scheme-security.js';
import { SkillEnhancers } from './guards/skill-enhancers.js';
import { AgentInvoker } from './execution/agent-invoker.js';
import { Canceller } from './execution/canceller.js';
import { Expiry } from './execution/expiry.js';
import { InProcessTaskRunner } from './execution/in-process-task-runner.js';
import { LeasedTaskHandle } from './execution/leased-task-handle.js';
import { LeasedWrites } from './execution/leased-writes.js';
import { LostLogs } from './execution/lost-logs.js';
import { FinishedTasks } from './execution/finished-tasks.js';
import { A2AMaintenance } from './execution/maintenance.js';
import { A2AReadiness } from './execution/readiness.js';
import { Recovery } from './execution/recovery.js';
import { Retention } from './execution/retention.js';
import { RunSlots } from './execution/run-slots.js';
import { TaskWriters } from './execution/task-writers.js';
import { Workshop } from './execution/workshop.js';
import { ADAPTER } from './interfaces/adapters.js';
import { AgentRegistry } from './interfaces/agent-registry.js';
import { A2AAudit } from './interfaces/audit.js';
import { AgentCardSigner, DetachedSigner } from './interfaces/card-signing.js';
import { IdGenerator } from './interfaces/id-generator.js';
import {
  A2A_OPTIONS,
  type A2AModuleExtras,
  type A2AModuleOptions,
  type PortOption,
} from './interfaces/module-options.js';
import { NotificationSigner } from './interfaces/notification-signing.js';
import { OwnerResolver } from './interfaces/owner-resolver.js';
import { PushNotificationConfigStore } from './interfaces/push-notification-config-store.js';
import { PushNotificationMonitor } from './interfaces/push-notification-monitor.js';
import { PushNotificationSender } from './interfaces/push-notification-sender.js';
import { QueueManager } from './interfaces/queue-manager.js';
import { RequestHandler } from './interfaces/request-handler.js';
import { resolveOptions } from './interfaces/resolve-options.js';
import { ServerCallContextBuilder } from './interfaces/server-call-context.js';
import { SkillRouter } from './interfaces/skill-router.js';
import { TaskEvents, TaskReader } from './interfaces/task-reader.js';
import { TaskRunner } from './interfaces/task-runner.js';
import { TaskStore } from './interfaces/task-store.js';
import { UrlGuard } from './interfaces/url-guard.js';
import { PublicUrlGuard } from './network/public-url-guard.js';
import { LoggerPushNotificationMonitor } from './push-notifications/logger-push-notification-monitor.js';
import { OutboxPushNotificationSender } from './push-notifications/outbox-push-notification-sender.js';
import { TaskHandle } from './interfaces/task-updater.js';
import { ConfiguredSigner } from './push-notifications/signing/configured-signer.js';
import { DefaultRequestHandler } from './request-handler/default-request-handler.js';
import { ExtendedCards } from './request-handler/extended-card.js';
import { InlineWebhooks } from './request-handler/inline-webhooks.js';
import { ListTasks } from './request-handler/list-tasks.js';
import { IdempotentSends } from './request-handler/idempotent-sends.js';
import { MessageAcceptance } from './request-handler/message-acceptance.js';
import { PushNotificationConfigs } from './request-handler/push-notification-configs.js';
import { PushConfigLimit } from './request-handler/push-config-limit.js';
import { SkillSelection } from './request-handler/skill-selection.js';
import { StreamSlots } from './request-handler/stream-slots.js';
import { Subscriptions } from './request-handler/subscriptions.js';
import { WaitingCalls } from './request-handler/waiting-calls.js';
import { TaskAccess } from './request-handler/task-access.js';
import { WebhookCheck } from './request-handler/webhook-check.js';
import { DefaultSkillRouter } from './request-handler/defaults/default-skill-router.js';
import { TenantOwnerResolver } from './request-handler/defaults/tenant-owner-resolver.js';
import { UserServerCallContextBuilder } from './request-handler/defaults/user-server-call-context-builder.js';
import { UuidGenerator } from './request-handler/defaults/uuid-generator.js';
import { MemoryPushNotificationConfigStore } from './stores/memory-push-notification-config-store.js';
import { MemoryTaskStore } from './stores/memory-task-store.js';
import { A2A_SERVES_HTTP, A2APaths } from './transports/a2a-paths.js';
import { AgentEndpoint } from './transports/agent-endpoint.js';
import { BodyReader } from './transports/body-reader.js';
import { CallGate } from './transports/call-gate.js';
import { OpenStreams } from './transports/open-streams.js';
import { SilentConnections } from './transports/silent-connections.js';
import { OperationDispatcher } from './transports/operation-dispatcher.js';
import { Refusals } from './transports/refusals.js';

const [PUSH_STORE, UNSEALED_PUSH_STORE] = sealing(
  port(
    PushNotificationConfigStore,
    ({ pushNotificationConfigStore }) => pushNotificationConfigStore,
    MemoryPushNotificationConfigStore,
    ADAPTER.pushNotificationConfigStore,
  ),
);

/** The ports, each with the option that replaces it and what it is otherwise. Exported by the module. */
const PORTS: readonly FactoryProvider[] = [
  port(TaskStore, ({ taskStore }) => taskStore, MemoryTaskStore, ADAPTER.taskStore),
  port(
    QueueManager,
    ({ queueManager }) => queueManager,
    MemoryQueueManager,
    ADAPTER.queueManager,
    ADAPTER.storeQueueManager,
  ),
  PUSH_STORE,
  port(TaskReader, ({ taskReader }) => taskReader, LogTaskReader),
  port(TaskRunner, ({ taskRunner }) => taskRunner, InProcessTaskRunner, ADAPTER.taskRunner),
  port(RequestHandler, ({ requestHandler }) => requestHandler, DefaultRequestHandler),
  port(ServerCallContextBuilder, (options) => options.serverCallContextBuilder, UserServerCallContextBuilder),
  port(OwnerResolver, ({ ownerResolver }) => ownerResolver, TenantOwnerResolver),
  port(IdGenerator, ({ idGenerator }) => idGenerator, UuidGenerator),
  port(SkillRouter, ({ skillRouter }) => skillRouter, DefaultSkillRouter),
  port(AgentRegistry, ({ agentRegistry }) => agentRegistry, ExploredAgentRegistry),
  port(A2AAudit, ({ audit }) => audit, LoggerAudit),
  port(PushNotificationMonitor, (options) => options.pushNotificationMonitor, LoggerPushNotificationMonitor),
  port(PushNotificationSender, (options) => options.pushNotificationSender, OutboxPushNotificationSender),
  port(TaskEvents, () => undefined, LogTaskEvents),
  port(TaskHandle, () => undefined, LeasedTaskHandle),
];

/** Stands between this process and the URLs of others. */
const URL_GUARD: FactoryProvider = {
  provide: UrlGuard,
  inject: [MODULE_OPTIONS_TOKEN, ModuleRef],
  useFactory: ({ urlGuard, urls }: A2AModuleOptions, moduleRef: ModuleRef) =>
    typeof urlGuard === 'function' ? moduleRef.create(urlGuard) : (urlGuard ?? new PublicUrlGuard(urls)),
};

/** What stands behind the generated controllers. */
const TRANSPORT: readonly Provider[] = [
  {
    provide: A2A_SERVES_HTTP,
    useFactory: ({ controllers }: A2AModuleExtras) => controllers,
    inject: [A2A_EXTRAS],
  },
  A2APaths,
  CallGate,
  BodyReader,
  EnhancerResolver,
  SkillEnhancers,
  AppGuards,
  SchemeSecurity,
  Refusals,
  OperationDispatcher,
  OpenStreams,
  SilentConnections,
  AgentEndpoint,
];

/** What the runner and the task handle are made of. */
const EXECUTION: readonly Provider[] = [
  AgentInvoker,
  TaskWriters,
  RunSlots,
  Workshop,
  Canceller,
  LeasedWrites,
  LostLogs,
  FinishedTasks,
  Retention,
  Expiry,
  Recovery,
  A2AReadiness,
  A2AMaintenance,
];

/** What the request handler is made of. */
const OPERATIONS: readonly Provider[] = [
  TaskAccess,
  IdempotentSends,
  MessageAcceptance,
  SkillSelection,
  ListTasks,
  Subscriptions,
  WaitingCalls,
  PushConfigLimit,
  PushNotificationConfigs,
  StreamSlots,
  ExtendedCards,
  InlineWebhooks,
  WebhookCheck,
];

/** Everything that forRoot() provides besides its own options. */
export const A2A_PROVIDERS: readonly Provider[] = [
  { provide: A2A_OPTIONS, useFactory: resolveOptions, inject: [MODULE_OPTIONS_TOKEN] },
  ...PORTS,
  UNSEALED_PUSH_STORE,
  Secrets,
  URL_GUARD,
  ...EXECUTION,
  ...OPERATIONS,
  ...TRANSPORT,
  AgentFeatures,
  CardSigning,
  { provide: AgentCardSigner, useExisting: CardSigning },
  { provide: DetachedSigner, useClass: KeySigning },
  { provide: NotificationSigner, useClass: ConfiguredSigner },
  AgentCardRoutes,
  A2AExplorer,
  A2ABootWarnings,
  A2AShutdown,
];

/** What applications and generated controllers may inject. */
export const A2A_EXPORTS = [
  A2A_OPTIONS,
  A2A_EXTRAS,
  AgentFeatures,
  AgentEndpoint,
  EnhancerResolver,
  SchemeSecurity,
  Refusals,
  A2AReadiness,
  A2AMaintenance,
  AgentCardSigner,
  UrlGuard,
  ...PORTS.map(({ provide }) => provide),
];

/** Binds a port to what the options name, else to what an adapter's module brings, else to the default, else to nothing (null). */
function port<T extends object>(
  token: Abstract<T>,
  option: (options: A2AModuleOptions) => PortOption<T> | undefined,
  fallback?: Type<T>,
  ...adapters: readonly symbol[]
): FactoryProvider {
  return {
    provide: token,
    inject: [
      MODULE_OPTIONS_TOKEN,
      ModuleRef,
      ...adapters.map((adapter) => ({ token: adapter, optional: true })),
    ],
    useFactory: async (
      options: A2AModuleOptions,
      moduleRef: ModuleRef,
      ...brought: readonly (PortOption<T> | undefined)[]
    ): Promise<T | null> => {
      const chosen = option(options) ?? brought.find((adapter) => adapter !== undefined) ?? fallback;
      return typeof chosen === 'function' ? moduleRef.create(chosen) : (chosen ?? null);
    },
  };
}
