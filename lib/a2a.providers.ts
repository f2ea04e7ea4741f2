import type { Abstract, FactoryProvider, Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ExploredAgentRegistry } from './a2a.agent-registry.js';
import { A2ABootWarnings } from './a2a.boot-warnings.js';
import { A2A_EXTRAS } from './a2a.constants.js';
import { A2AExplorer } from './a2a.explorer.js';
import { AgentFeatures } from './a2a.features.js';
import { MODULE_OPTIONS_TOKEN } from './a2a.module-options-token.js';
import { AgentCardRoutes } from './agent-card/agent-card.routes.js';
import { LogTaskEvents } from './events/log-task-events.js';
import { LogTaskReader } from './events/log-task-reader.js';
import { MemoryQueueManager } from './events/memory-queue-manager.js';
import { AgentRegistry } from './interfaces/agent-registry.js';
import { IdGenerator } from './interfaces/id-generator.js';
import { A2A_OPTIONS, type A2AModuleOptions, type PortOption } from './interfaces/module-options.js';
import { OwnerResolver } from './interfaces/owner-resolver.js';
import { PushNotificationConfigStore } from './interfaces/push-notification-config-store.js';
import { QueueManager } from './interfaces/queue-manager.js';
import { RequestHandler } from './interfaces/request-handler.js';
import { resolveOptions } from './interfaces/resolve-options.js';
import { ServerCallContextBuilder } from './interfaces/server-call-context.js';
import { SkillRouter } from './interfaces/skill-router.js';
import { TaskEvents, TaskReader } from './interfaces/task-reader.js';
import { TaskRunner } from './interfaces/task-runner.js';
import { TaskStore } from './interfaces/task-store.js';
import { TaskHandle } from './interfaces/task-updater.js';
import { DefaultSkillRouter } from './request-handler/defaults/default-skill-router.js';
import { TenantOwnerResolver } from './request-handler/defaults/tenant-owner-resolver.js';
import { UserServerCallContextBuilder } from './request-handler/defaults/user-server-call-context-builder.js';
import { UuidGenerator } from './request-handler/defaults/uuid-generator.js';
import { MemoryTaskStore } from './stores/memory-task-store.js';

/** The ports, each with the option that replaces it and what it is otherwise. Exported by the module. */
const PORTS: readonly FactoryProvider[] = [
  port(TaskStore, ({ taskStore }) => taskStore, MemoryTaskStore),
  port(QueueManager, ({ queueManager }) => queueManager, MemoryQueueManager),
  port(PushNotificationConfigStore, ({ pushNotificationConfigStore }) => pushNotificationConfigStore),
  port(TaskReader, ({ taskReader }) => taskReader, LogTaskReader),
  port(TaskRunner, ({ taskRunner }) => taskRunner),
  port(RequestHandler, ({ requestHandler }) => requestHandler),
  port(ServerCallContextBuilder, (options) => options.serverCallContextBuilder, UserServerCallContextBuilder),
  port(OwnerResolver, ({ ownerResolver }) => ownerResolver, TenantOwnerResolver),
  port(IdGenerator, ({ idGenerator }) => idGenerator, UuidGenerator),
  port(SkillRouter, ({ skillRouter }) => skillRouter, DefaultSkillRouter),
  port(AgentRegistry, ({ agentRegistry }) => agentRegistry, ExploredAgentRegistry),
  port(TaskEvents, () => undefined, LogTaskEvents),
  port(TaskHandle, () => undefined),
];

/** Everything that forRoot() provides besides its own options. */
export const A2A_PROVIDERS: readonly Provider[] = [
  { provide: A2A_OPTIONS, useFactory: resolveOptions, inject: [MODULE_OPTIONS_TOKEN] },
  ...PORTS,
  AgentFeatures,
  AgentCardRoutes,
  A2AExplorer,
  A2ABootWarnings,
];

/** What applications and generated controllers may inject. */
export const A2A_EXPORTS = [A2A_OPTIONS, A2A_EXTRAS, AgentFeatures, ...PORTS.map(({ provide }) => provide)];

/** Binds a port to the instance or class that the options name, else to the default, else to nothing (null). */
function port<T extends object>(
  token: Abstract<T>,
  option: (options: A2AModuleOptions) => PortOption<T> | undefined,
  fallback?: Type<T>,
): FactoryProvider {
  return {
    provide: token,
    inject: [MODULE_OPTIONS_TOKEN, ModuleRef],
    useFactory: async (options: A2AModuleOptions, moduleRef: ModuleRef): Promise<T | null> => {
      const chosen = option(options) ?? fallback;
      return typeof chosen === 'function' ? moduleRef.create(chosen) : (chosen ?? null);
    },
  };
}
