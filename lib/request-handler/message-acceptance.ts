import { Inject, Injectable } from '@nestjs/common';
import {
  ContentTypeNotSupportedError,
  InvalidParamsError,
  PushNotificationNotSupportedError,
  UnsupportedOperationError,
} from '../protocol/errors.js';
import { accepts } from '../protocol/media-type.js';
import type {
  Message,
  SendMessageConfiguration,
  SendMessageRequest,
  Task,
  TaskPushNotificationConfig,
} from '../protocol/model.js';
import { isTerminal } from '../protocol/task-state.js';
import { AgentRegistry, type AgentDefinition, type SkillDefinition } from '../interfaces/agent-registry.js';
import { isPromise } from '../interfaces/is-promise.js';
import { IdGenerator } from '../interfaces/id-generator.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import {
  QueueManager,
  TaskLogClosedError,
  TaskLogExistsError,
  TaskLogFullError,
  TaskLogNotFoundError,
  type MessageCommand,
} from '../interfaces/queue-manager.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { InlineWebhooks } from './inline-webhooks.js';
import { IdempotentSends, type PlacedMessage } from './idempotent-sends.js';
import { checkMessageLimits } from './message-limits.js';
import { digestOf } from './send-digest.js';
import { SkillSelection } from './skill-selection.js';
import { TaskAccess, notFound } from './task-access.js';
import { WebhookCheck } from './webhook-check.js';

/** Checks a message, and only then hands it to the runner: what is refused leaves nothing behind. */
@Injectable()
export class MessageAcceptance {
  constructor(
    private readonly registry: AgentRegistry,
    private readonly skills: SkillSelection,
    private readonly access: TaskAccess,
    private readonly runner: TaskRunner,
    private readonly ids: IdGenerator,
    private readonly webhooks: WebhookCheck,
    private readonly inline: InlineWebhooks,
    private readonly sends: IdempotentSends,
    private readonly queue: QueueManager,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  async accept(request: SendMessageRequest, call: ServerCallContext): Promise<PlacedMessage> {
    checkMessageLimits(request, this.options.limits);
    const agent = this.registry.get(call.agent);
    const webhook = this.#webhookOf(request, agent);
    const chosen = this.skills.choose(request, call);
    const skill = isPromise(chosen) ? await chosen : chosen;
    if (this.options.checkInputModes) checkInputModes(request.message, agent, skill);
    if (webhook) await this.webhooks.check(webhook, 'configuration.taskPushNotificationConfig.');
    const routed = skill ? { ...call, skill: skill.id } : call;
    return await (request.message.taskId ? this.#followUp(request, routed) : this.#begin(request, routed));
  }

  async #begin(request: SendMessageRequest, call: ServerCallContext): Promise<PlacedMessage> {
    const taskId = this.ids.taskId();
    const contextId = request.message.contextId ?? this.ids.contextId();
    const scope = this.access.scopeOf(call);
    const { agent, tenant, owner } = scope;
    const { skill } = call;
    const origin = skill ? { agent, tenant, owner, contextId, skill } : { agent, tenant, owner, contextId };
    const webhook = request.configuration?.taskPushNotificationConfig;
    const start = async (id: string, command: MessageCommand): Promise<PlacedMessage> => {
      const sequence = await this.inline.begin(webhook, id, () => this.runner.start(id, origin, command));
      return { taskId: id, sequence, followUp: false };
    };
    if (!this.sends.enabled) return await start(taskId, toCommand(request, call, taskId, contextId));
    const once = { scope, messageId: request.message.messageId, digest: digestOf(request) };
    return this.sends.begin(taskId, once, async (id) => {
      // The claim may name a task that was there before the message, which its webhook must not be kept with.
      if (webhook && id !== taskId && (await this.queue.head(id))) throw new TaskLogExistsError(id);
      return start(id, { ...toCommand(request, call, id, contextId), once: once.digest });
    });
  }

  async #followUp(request: SendMessageRequest, call: ServerCallContext): Promise<PlacedMessage> {
    const { taskId, contextId } = request.message as Message & { taskId: string };
    const { task } = await this.access.get(taskId, call);
    if (contextId && contextId !== task.contextId) {
      const description = 'must be the contextId of the task that message.taskId names, or be left out';
      throw new InvalidParamsError([{ field: 'message.contextId', description }]);
    }
    const command = toCommand(request, call, taskId, task.contextId!);
    const webhook = request.configuration?.taskPushNotificationConfig;
    if (!this.sends.enabled) {
      if (isTerminal(task.status.state)) throw ended(task);
      return { taskId, sequence: await this.#send(task, command, webhook), followUp: true };
    }
    // What was sent again may have ended the task meanwhile, so the log is asked in any case.
    const scope = this.access.scopeOf(call);
    const once = { scope, messageId: request.message.messageId, digest: digestOf(request) };
    return this.sends.follow(taskId, once, () =>
      this.#send(task, { ...command, once: once.digest }, webhook),
    );
  }

  async #send(
    task: Task,
    command: MessageCommand,
    webhook: TaskPushNotificationConfig | undefined,
  ): Promise<number> {
    const { history } = this.options.limits;
    if (history > 0 && (task.history?.length ?? 0) >= history) throw full(task, history);
    const send = () => this.runner.send(task.id, command);
    return this.inline.follow(webhook, task.id, send).catch((error: unknown) => {
      if (error instanceof TaskLogClosedError) throw ended(task);
      if (error instanceof TaskLogNotFoundError)
        throw isTerminal(task.status.state) ? ended(task) : notFound(task.id);
      if (error instanceof TaskLogFullError) throw busy(task, error.maxPending);
      throw error;
    });
  }

  #webhookOf(
    { configuration }: SendMessageRequest,
    agent: AgentDefinition,
  ): TaskPushNotificationConfig | undefined {
    const webhook = configuration?.taskPushNotificationConfig;
    if (webhook && !agent.card.capabilities.pushNotifications) throw new PushNotificationNotSupportedError();
    return webhook;
  }
}

function toCommand(
  { message, configuration, metadata }: SendMessageRequest,
  call: ServerCallContext,
  taskId: string,
  contextId: string,
): MessageCommand {
  const placed = inTask(message, taskId, contextId);
  return { kind: 'message', message: placed, call, configuration: withoutWebhook(configuration), metadata };
}

/** Its secrets belong in the store of webhooks, and not in the log. */
function withoutWebhook(
  configuration: SendMessageConfiguration | undefined,
): SendMessageConfiguration | undefined {
  if (!configuration?.taskPushNotificationConfig) return configuration;
  const { acceptedOutputModes, historyLength, returnImmediately } = configuration;
  if (!acceptedOutputModes && historyLength === undefined && !returnImmediately) return undefined;
  const others: SendMessageConfiguration = {};
  if (acceptedOutputModes) others.acceptedOutputModes = acceptedOutputModes;
  if (historyLength !== undefined) others.historyLength = historyLength;
  if (returnImmediately) others.returnImmediately = returnImmediately;
  return others;
}

/** Member by member, since spreading costs a hot path more than it looks. */
function inTask(message: Message, taskId: string, contextId: string): Message {
  const { messageId, role, parts, metadata, extensions, referenceTaskIds } = message;
  const placed: Message = { messageId, contextId, taskId, role, parts };
  if (metadata) placed.metadata = metadata;
  if (extensions) placed.extensions = extensions;
  if (referenceTaskIds) placed.referenceTaskIds = referenceTaskIds;
  return placed;
}

/** A part without a media type is taken: the agent will see what it is. */
function checkInputModes(message: Message, agent: AgentDefinition, skill: SkillDefinition | undefined): void {
  if (!message.parts.some(({ mediaType }) => mediaType)) return;
  const modes = inputModesOf(agent, skill);
  message.parts.forEach(({ mediaType }, index) => {
    if (!mediaType || accepts(modes, mediaType)) return;
    throw new ContentTypeNotSupportedError(
      `message.parts[${index}] has the media type ${mediaType}; this agent takes ${modes.join(', ')}`,
      { metadata: { mediaType } },
    );
  });
}

/** Those of the chosen skill, which stand in for the agent's; without one, what any of them takes is taken. */
function inputModesOf({ card }: AgentDefinition, skill: SkillDefinition | undefined): readonly string[] {
  if (skill) return skill.inputModes?.length ? skill.inputModes : card.defaultInputModes;
  return [
    ...new Set([...card.defaultInputModes, ...card.skills.flatMap(({ inputModes = [] }) => inputModes)]),
  ];
}

function ended(task: Task): UnsupportedOperationError {
  const { id, contextId = '', status } = task;
  return new UnsupportedOperationError(
    `Task ${id} has ended (${status.state}) and takes no more messages; start a new task in contextId ${contextId}`,
    { metadata: { taskId: id, contextId } },
  );
}

function full({ id, contextId = '' }: Task, messages: number): UnsupportedOperationError {
  return new UnsupportedOperationError(
    `Task ${id} has ${messages} messages in its history and takes no more; start a new task in contextId ${contextId}`,
    { metadata: { taskId: id, contextId } },
  );
}

function busy({ id }: Task, waiting: number): UnsupportedOperationError {
  return new UnsupportedOperationError(
    `Task ${id} is busy: ${waiting} messages wait for it already; send again when one of them was answered`,
    { metadata: { taskId: id } },
  );
}
