import { Inject, Injectable } from '@nestjs/common';
import { TaskNotCancelableError, UnsupportedOperationError } from '../protocol/errors.js';
import type * as model from '../protocol/model.js';
import { isTerminal } from '../protocol/task-state.js';
import { viewTask } from '../protocol/task-view.js';
import { AgentRegistry } from '../interfaces/agent-registry.js';
import { TaskLogClosedError, TaskLogNotFoundError } from '../interfaces/queue-manager.js';
import type { LimitOptions } from '../interfaces/limit-options.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { RequestHandler } from '../interfaces/request-handler.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { TaskReader, type EventStream } from '../interfaces/task-reader.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { ExtendedCards } from './extended-card.js';
import { ListTasks } from './list-tasks.js';
import { MessageAcceptance } from './message-acceptance.js';
import { checkMetadataLimits } from './message-limits.js';
import { PushNotificationConfigs } from './push-notification-configs.js';
import { shownHistory } from './shown-history.js';
import { StreamSlots } from './stream-slots.js';
import { Subscriptions } from './subscriptions.js';
import { TaskAccess, notFound } from './task-access.js';
import { viewStream } from './view-stream.js';
import { WaitingCalls } from './waiting-calls.js';

/** The operations of the protocol: each checks, then reads from the log or asks the runner. */
@Injectable()
export class DefaultRequestHandler extends RequestHandler {
  readonly #limits: Required<LimitOptions>;

  constructor(
    private readonly registry: AgentRegistry,
    private readonly acceptance: MessageAcceptance,
    private readonly access: TaskAccess,
    private readonly reader: TaskReader,
    private readonly waiting: WaitingCalls,
    private readonly runner: TaskRunner,
    private readonly lists: ListTasks,
    private readonly subscriptions: Subscriptions,
    private readonly pushConfigs: PushNotificationConfigs,
    private readonly extendedCards: ExtendedCards,
    private readonly streams: StreamSlots,
    @Inject(A2A_OPTIONS) { limits }: ResolvedOptions,
  ) {
    super();
    this.#limits = limits;
  }

  override async sendMessage(
    request: model.SendMessageRequest,
    call: ServerCallContext,
  ): Promise<model.SendMessageResponse> {
    const { returnImmediately = false } = request.configuration ?? {};
    const historyLength = this.#historyOf(request);
    const { taskId, sequence } = await this.acceptance.accept(request, call);
    const options = { after: sequence, untilPublished: returnImmediately };
    const outcome = await this.waiting.add((signal) => this.reader.outcome(taskId, { ...options, signal }));
    if ('message' in outcome) return { message: outcome.message };
    return { task: viewTask(outcome.record.task, { historyLength }) };
  }

  override async sendStreamingMessage(
    request: model.SendMessageRequest,
    call: ServerCallContext,
  ): Promise<EventStream> {
    this.#requireStreaming(call);
    const historyLength = this.#historyOf(request);
    return this.streams.open(this.access.scopeOf(call).owner, async () => {
      const { taskId, sequence, followUp } = await this.acceptance.accept(request, call);
      const stream = this.reader.follow(taskId, {
        after: sequence,
        message: sequence,
        snapshot: followUp,
        untilPaused: true,
      });
      return viewStream(stream, { historyLength });
    });
  }

  override async getTask(
    { id, historyLength: asked }: model.GetTaskRequest,
    call: ServerCallContext,
  ): Promise<model.Task> {
    const historyLength = shownHistory(asked, 'historyLength', this.#limits.shownHistory);
    const { task } = await this.access.get(id, call);
    return viewTask(task, { historyLength });
  }

  override async listTasks(
    request: model.ListTasksRequest,
    call: ServerCallContext,
  ): Promise<model.ListTasksResponse> {
    return this.lists.list(request, call);
  }

  /** Canceling a canceled task again answers that task (§3.3.1). */
  override async cancelTask(
    { id, metadata }: model.CancelTaskRequest,
    call: ServerCallContext,
  ): Promise<model.Task> {
    checkMetadataLimits(metadata, this.#limits);
    const { task } = await this.access.get(id, call);
    if (!isTerminal(task.status.state)) {
      await this.runner
        .cancel(id, { kind: 'cancel', call, ...(metadata && { metadata }) })
        .catch((error: unknown) => {
          if (error instanceof TaskLogNotFoundError) throw notFound(id);
          // Closed: it has ended by itself in the meantime, which is looked at below.
          if (!(error instanceof TaskLogClosedError)) throw error;
        });
    }
    const now = (await this.access.get(id, call)).task;
    if (now.status.state === 'TASK_STATE_CANCELED') return viewTask(now, { historyLength: this.#shown });
    throw new TaskNotCancelableError(`Task ${id} has ended already (${now.status.state})`, {
      metadata: { taskId: id },
    });
  }

  override async subscribeToTask(
    { id }: model.SubscribeToTaskRequest,
    call: ServerCallContext,
    lastEventId?: number,
  ): Promise<EventStream> {
    this.#requireStreaming(call);
    const { owner } = this.access.scopeOf(call);
    return this.streams.open(owner, async () =>
      viewStream(await this.subscriptions.open(id, call, lastEventId), { historyLength: this.#shown }),
    );
  }

  override async createTaskPushNotificationConfig(
    request: model.TaskPushNotificationConfig,
    call: ServerCallContext,
  ): Promise<model.TaskPushNotificationConfig> {
    return this.pushConfigs.create(request, call);
  }

  override async getTaskPushNotificationConfig(
    request: model.GetTaskPushNotificationConfigRequest,
    call: ServerCallContext,
  ): Promise<model.TaskPushNotificationConfig> {
    return this.pushConfigs.get(request, call);
  }

  override async listTaskPushNotificationConfigs(
    request: model.ListTaskPushNotificationConfigsRequest,
    call: ServerCallContext,
  ): Promise<model.ListTaskPushNotificationConfigsResponse> {
    return this.pushConfigs.list(request, call);
  }

  override async deleteTaskPushNotificationConfig(
    request: model.DeleteTaskPushNotificationConfigRequest,
    call: ServerCallContext,
  ): Promise<Record<string, never>> {
    await this.pushConfigs.delete(request, call);
    return {};
  }

  override async getExtendedAgentCard(
    _request: model.GetExtendedAgentCardRequest,
    call: ServerCallContext,
  ): Promise<model.AgentCard> {
    return this.extendedCards.get(call);
  }

  /** Where callers cannot say how much of a history they want. */
  get #shown(): number | undefined {
    return shownHistory(undefined, '', this.#limits.shownHistory);
  }

  #historyOf({ configuration }: model.SendMessageRequest): number | undefined {
    return shownHistory(
      configuration?.historyLength,
      'configuration.historyLength',
      this.#limits.shownHistory,
    );
  }

  #requireStreaming(call: ServerCallContext): void {
    if (this.registry.get(call.agent).card.capabilities.streaming) return;
    throw new UnsupportedOperationError(
      'This agent does not stream: its card does not declare capabilities.streaming',
    );
  }
}
