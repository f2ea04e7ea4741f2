import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import * as messages from './a2a.messages.js';
import { Secrets } from './a2a.secrets.js';
import { MemoryQueueManager } from './events/memory-queue-manager.js';
import { AgentRegistry } from './interfaces/agent-registry.js';
import { A2A_OPTIONS, type ResolvedOptions } from './interfaces/module-options.js';
import { PushNotificationConfigStore } from './interfaces/push-notification-config-store.js';
import { QueueManager } from './interfaces/queue-manager.js';
import { TaskStore } from './interfaces/task-store.js';
import { CREDENTIALS } from './request-handler/defaults/user-server-call-context-builder.js';
import { MemoryTaskStore } from './stores/memory-task-store.js';

const LOCAL = /^(?:localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/i;

/** Says at boot what works, but hardly as it is meant to. */
@Injectable()
export class A2ABootWarnings implements OnApplicationBootstrap {
  readonly #logger = new Logger('A2AModule');

  constructor(
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
    private readonly store: TaskStore,
    private readonly queue: QueueManager,
    private readonly webhooks: PushNotificationConfigStore,
    private readonly registry: AgentRegistry,
    private readonly secrets: Secrets,
  ) {}

  onApplicationBootstrap(): void {
    const inProduction = process.env['NODE_ENV'] === 'production';
    const warnings = [
      ...this.#headers(),
      ...(inProduction ? [...this.#publicUrl(), ...this.#memory(), ...this.#unsealed()] : []),
    ];
    for (const warning of warnings) this.#logger.warn(warning);
  }

  #headers(): string[] {
    const names = this.options.transport.forwardHeaders.filter((name) => CREDENTIALS.has(name.toLowerCase()));
    return names.length > 0 ? [messages.CREDENTIALS_FORWARDED(names)] : [];
  }

  #publicUrl(): string[] {
    const { publicUrl } = this.options;
    if (publicUrl === undefined) return [messages.NO_PUBLIC_URL];
    const local = URL.canParse(publicUrl) && LOCAL.test(new URL(publicUrl).hostname);
    return local ? [messages.LOCAL_PUBLIC_URL(publicUrl)] : [];
  }

  #memory(): string[] {
    const ports = [
      ...(this.store instanceof MemoryTaskStore ? ['TaskStore'] : []),
      ...(this.queue instanceof MemoryQueueManager ? ['QueueManager'] : []),
    ];
    return [
      ...(ports.length > 0 ? [messages.MEMORY_IN_PRODUCTION(ports)] : []),
      ...(this.#takesWebhooks && this.webhooks.volatile && !this.store.volatile
        ? [messages.MEMORY_WEBHOOKS_IN_PRODUCTION]
        : []),
    ];
  }

  /** Only where agents take webhooks, and those outlive the process. */
  #unsealed(): string[] {
    const open = this.#takesWebhooks && !this.webhooks.volatile && !this.secrets.box;
    return open ? [messages.SECRETS_UNSEALED] : [];
  }

  get #takesWebhooks(): boolean {
    return this.registry.list().some(({ options }) => options.capabilities?.pushNotifications);
  }
}
