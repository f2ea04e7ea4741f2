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
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '../protocol/model.js';
import type { AgentConnection } from './agent-connection.js';
import type { CallOptions } from './client-options.js';

/**
 * Calls one agent: the operations of A2A as methods. It connects with the first call. Every method throws the peer's A2AError as it was
 * thrown there, an A2AClientError where there was no proper answer, and the reason of the signal that ended it.
 *
 * @publicApi
 * @example
 * const client = createA2AClient('https://billing.example.com');
 * const { task } = await client.sendMessage({ message: userMessage('What do I owe?') });
 */
export class A2AClient {
  constructor(protected readonly connection: AgentConnection) {}

  /** The agent's card; fetched unless one is known that is fresh. */
  card(options?: CallOptions): Promise<AgentCard> {
    return this.connection.card(options);
  }

  /** Waits until the task ends or pauses, unless `configuration.returnImmediately` is set. */
  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<SendMessageResponse> {
    return this.connection.call('SendMessage', request, options);
  }

  /** Sends when it is first read from. Leaving the iteration closes the connection; the task goes on. */
  sendStreamingMessage(
    request: SendMessageRequest,
    options?: CallOptions,
  ): AsyncIterableIterator<StreamResponse> {
    return this.events('SendStreamingMessage', request, options);
  }

  getTask(request: GetTaskRequest, options?: CallOptions): Promise<Task> {
    return this.connection.call('GetTask', request, options);
  }

  listTasks(request: ListTasksRequest = {}, options?: CallOptions): Promise<ListTasksResponse> {
    return this.connection.call('ListTasks', request, options);
  }

  cancelTask(request: CancelTaskRequest, options?: CallOptions): Promise<Task> {
    return this.connection.call('CancelTask', request, options);
  }

  /** The events of a task from now on, the Task first. Reading and leaving as in sendStreamingMessage(). */
  subscribeToTask(
    request: SubscribeToTaskRequest,
    options?: CallOptions,
  ): AsyncIterableIterator<StreamResponse> {
    return this.events('SubscribeToTask', request, options);
  }

  createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    options?: CallOptions,
  ): Promise<TaskPushNotificationConfig> {
    return this.connection.call('CreateTaskPushNotificationConfig', request, options);
  }

  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    options?: CallOptions,
  ): Promise<TaskPushNotificationConfig> {
    return this.connection.call('GetTaskPushNotificationConfig', request, options);
  }

  listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    options?: CallOptions,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.connection.call('ListTaskPushNotificationConfigs', request, options);
  }

  deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    options?: CallOptions,
  ): Promise<void> {
    return this.connection.call('DeleteTaskPushNotificationConfig', request, options);
  }

  /** What the agent shows of itself to callers it knows. */
  getExtendedAgentCard(request: GetExtendedAgentCardRequest = {}, options?: CallOptions): Promise<AgentCard> {
    return this.connection.call('GetExtendedAgentCard', request, options);
  }

  /** Breaks off what is under way and closes the connections. A client that Nest made is closed by Nest. */
  close(): Promise<void> {
    return this.connection.close();
  }

  private async *events(
    operation: 'SendStreamingMessage' | 'SubscribeToTask',
    request: SendMessageRequest | SubscribeToTaskRequest,
    options?: CallOptions,
  ): AsyncGenerator<StreamResponse, undefined> {
    const events = await this.connection.open(
      operation,
      request as SendMessageRequest & SubscribeToTaskRequest,
      options,
    );
    for await (const { event } of events) yield event;
    return undefined;
  }
}
