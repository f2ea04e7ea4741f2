import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '../protocol/model.js';
import type { ServerCallContext } from './server-call-context.js';
import type { EventStream } from './task-reader.js';

/**
 * The operations of the protocol (§3.1), independent of any binding. Requests have passed the validating door.
 * Every method throws A2AErrors; a refused request leaves nothing behind.
 *
 * @publicApi
 */
export abstract class RequestHandler {
  abstract sendMessage(request: SendMessageRequest, call: ServerCallContext): Promise<SendMessageResponse>;

  /** Resolves once the message is accepted. */
  abstract sendStreamingMessage(request: SendMessageRequest, call: ServerCallContext): Promise<EventStream>;

  abstract getTask(request: GetTaskRequest, call: ServerCallContext): Promise<Task>;

  abstract listTasks(request: ListTasksRequest, call: ServerCallContext): Promise<ListTasksResponse>;

  abstract cancelTask(request: CancelTaskRequest, call: ServerCallContext): Promise<Task>;

  /** With `lastEventId` the stream goes on right after that number instead of opening with the Task (our extension). */
  abstract subscribeToTask(
    request: SubscribeToTaskRequest,
    call: ServerCallContext,
    lastEventId?: number,
  ): Promise<EventStream>;

  abstract createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    call: ServerCallContext,
  ): Promise<TaskPushNotificationConfig>;

  abstract getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    call: ServerCallContext,
  ): Promise<TaskPushNotificationConfig>;

  abstract listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    call: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse>;

  abstract deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    call: ServerCallContext,
  ): Promise<Record<string, never>>;

  abstract getExtendedAgentCard(
    request: GetExtendedAgentCardRequest,
    call: ServerCallContext,
  ): Promise<AgentCard>;
}
