import { Injectable } from '@nestjs/common';
import {
  InvalidParamsError,
  PushNotificationNotSupportedError,
  TaskNotFoundError,
} from '../protocol/errors.js';
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  TaskPushNotificationConfig,
} from '../protocol/model.js';
import { AgentRegistry } from '../interfaces/agent-registry.js';
import { IdGenerator } from '../interfaces/id-generator.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { PushNotificationSender } from '../interfaces/push-notification-sender.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { PushConfigLimit } from './push-config-limit.js';
import { TaskAccess } from './task-access.js';
import { WebhookCheck } from './webhook-check.js';

/** The webhooks of a task (§3.1.7 – §3.1.10). Secrets that were stored are not read back. */
@Injectable()
export class PushNotificationConfigs {
  constructor(
    private readonly registry: AgentRegistry,
    private readonly access: TaskAccess,
    private readonly store: PushNotificationConfigStore,
    private readonly sender: PushNotificationSender,
    private readonly ids: IdGenerator,
    private readonly webhooks: WebhookCheck,
    private readonly limit: PushConfigLimit,
  ) {}

  async create(
    config: TaskPushNotificationConfig,
    call: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    const taskId = await this.#open(config.taskId, call);
    await this.webhooks.check(config);
    const stored = { ...config, taskId, id: config.id ?? this.ids.pushNotificationConfigId() };
    await this.limit.set(stored);
    this.sender.wake(taskId);
    return stored;
  }

  async get(
    { taskId, id }: GetTaskPushNotificationConfigRequest,
    call: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    await this.#open(taskId, call);
    const config = await this.store.get(taskId, id);
    if (!config)
      throw new TaskNotFoundError(`Task ${taskId} has no push notification config ${JSON.stringify(id)}`);
    return withoutSecrets(config);
  }

  async list(
    { taskId }: ListTaskPushNotificationConfigsRequest,
    call: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    await this.#open(taskId, call);
    return { configs: (await this.store.list(taskId)).map(withoutSecrets) };
  }

  async delete(
    { taskId, id }: DeleteTaskPushNotificationConfigRequest,
    call: ServerCallContext,
  ): Promise<void> {
    await this.#open(taskId, call);
    await this.store.delete(taskId, id);
    this.sender.wake(taskId);
  }

  /** The capability first, then the task: a caller learns nothing of tasks where there is no push. */
  async #open(taskId: string | undefined, call: ServerCallContext): Promise<string> {
    if (!this.registry.get(call.agent).card.capabilities.pushNotifications)
      throw new PushNotificationNotSupportedError();
    if (!taskId) throw new InvalidParamsError([{ field: 'taskId', description: 'is required' }]);
    await this.access.get(taskId, call);
    return taskId;
  }
}

function withoutSecrets({
  token: _,
  authentication,
  ...config
}: TaskPushNotificationConfig): TaskPushNotificationConfig {
  return { ...config, ...(authentication && { authentication: { scheme: authentication.scheme } }) };
}
