import { Injectable } from '@nestjs/common';
import { TaskNotCancelableError, UnsupportedOperationError } from '../protocol/errors.js';
import type * as model from '../protocol/model.js';
import { isTerminal } from '../protocol/task-state.js';
import { viewTask } from '../protocol/task-view.js';
import { AgentRegistry } from '../interfaces/agent-registry.js';
import { TaskLogClosedError, TaskLogNotFoundError } from '../interfaces/queue-manager.js';
import { RequestHandler } from '../interfaces/request-handler.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';
import { TaskReader, type EventStream } from '../interfaces/task-reader.js';
import { TaskRunner } from '../interfaces/task-runner.js';
import { checkHistoryLength } from './check-history-length.js';
import { ExtendedCards } from './extended-card.js';
import { ListTasks } from './list-tasks.js';
import { MessageAcceptance } from './message-acceptance.js';
import { PushNotificationConfigs } from './push-notification-configs.js';
import { Subscriptions } from './subscriptions.js';
import { TaskAccess, notFound } from './task-access.js';
import { viewStream } from './view-stream.js';
import { WaitingCalls } from './waiting-calls.js';

/** The operations of the protocol: each checks, then reads from the log or asks the runner. */
@Injectable()
export class DefaultRequestHandler extends RequestHandler {
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
  ) {
    super();
  }

  override async sendMessage(
    request: model.SendMessageRequest,
    call: ServerCallContext,
  ): Promise<model.SendMessageResponse> {
    const { historyLength, returnImmediately = false } = request.configuration ?? {};
    checkHistoryLength(historyLength, 'configuration.historyLength');
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
    const { historyLength } = request.configuration ?? {};
    checkHistoryLength(historyLength, 'configuration.historyLength');
    const { taskId, sequence, followUp } = await this.acceptance.accept(request, call);
    const stream = this.reader.follow(taskId, {
      after: sequence,
      message: sequence,
      snapshot: followUp,
      untilPaused: true,
    });
    return viewStream(stream, { historyLength });
  }

  override async getTask(
    { id, historyLength }: model.GetTaskRequest,
    call: ServerCallContext,
  ): Promise<model.Task> {
    checkHistoryLength(historyLength, 'historyLength');
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
    if (now.status.state === 'TASK_STATE_CANCELED') return now;
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
    return this.subscriptions.open(id, call, lastEventId);
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

  #requireStreaming(call: ServerCallContext): void {
    if (this.registry.get(call.agent).card.capabilities.streaming) return;
    throw new UnsupportedOperationError(
      'This agent does not stream: its card does not declare capabilities.streaming',
    );
  }
}
