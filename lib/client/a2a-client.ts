import type { Observable } from 'rxjs';
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
import type { CallOptions, ClientDefaults } from './client-options.js';
import { ask, messageOf, type AskOptions, type Question, type TaskReference } from './conversation/ask.js';
import type { AskResult, TaskResult } from './conversation/ask-result.js';
import { waitFor, type WaitOptions } from './conversation/wait-for.js';
import type { EventIterator } from './streams/event-iterator.js';
import { openStream } from './streams/open-stream.js';
import type { StreamOptions, SubscribeOptions } from './streams/stream-options.js';
import { toObservable } from './streams/to-observable.js';

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
  /** @param defaults of calls that do not say for themselves. */
  constructor(
    protected readonly connection: AgentConnection,
    protected readonly defaults: ClientDefaults = {},
  ) {}

  /** The agent's card; fetched unless one is known that is fresh. */
  card(options?: CallOptions): Promise<AgentCard> {
    return this.connection.card(options);
  }

  /** Waits until the task ends or pauses, unless `configuration.returnImmediately` is set. */
  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<SendMessageResponse> {
    return this.connection.call('SendMessage', request, options);
  }

  /**
   * SendStreamingMessage. Sends when the first event is asked for; leaving the iteration closes the connection, and the task goes on. A connection that
   * ends before the story does is followed by another (see `resume`), so that the caller sees each event once. Throws StreamInterruptedError where that
   * is not possible.
   * @example for await (const event of client.stream({ message: userMessage('Write a poem') })) console.log(event);
   */
  stream(request: SendMessageRequest, options?: StreamOptions): EventIterator {
    return openStream(this.connection, { send: request }, options, this.defaults);
  }

  /** The same as an Observable: every subscription sends the message, and unsubscribing leaves. */
  stream$(request: SendMessageRequest, options?: StreamOptions): Observable<StreamResponse> {
    return toObservable(() => this.stream(request, options));
  }

  /** SendStreamingMessage by its name in the specification: the same as `stream()`. */
  sendStreamingMessage(request: SendMessageRequest, options?: StreamOptions): EventIterator {
    return this.stream(request, options);
  }

  /**
   * Sends a question and waits for what comes of it, however long that takes. Only what the agent completed has content; what failed says why.
   * @example
   * const answer = await client.ask('What do I owe?');
   * if (answer.kind === 'completed') console.log(answer.text);
   * else if (answer.kind === 'input-required') await client.continueTask(answer.task, 'Customer 4711');
   */
  ask(question: Question, options: AskOptions = {}): Promise<AskResult> {
    return ask(this.connection, messageOf(question, options.contextId), options, this.defaults);
  }

  /** Answers a task that waits, as `ask()` does: the message names it as its task, in the same conversation. */
  continueTask(task: TaskReference, question: Question, options: AskOptions = {}): Promise<AskResult> {
    return ask(this.connection, messageOf(question, options.contextId, task), options, this.defaults);
  }

  /** Waits until a task has ended or waits for somebody: by subscribing, or by looking again and again where that is not possible. */
  waitFor(taskId: string, options: WaitOptions = {}): Promise<TaskResult> {
    return waitFor(this.connection, taskId, options, this.defaults);
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

  /** SubscribeToTask: the Task as it is now, then what follows. Begins, goes on and ends as `stream()`. */
  subscribe(request: SubscribeToTaskRequest, options: SubscribeOptions = {}): EventIterator {
    const { lastEventId, ...call } = options;
    return openStream(this.connection, { subscribe: request, lastEventId }, call, this.defaults);
  }

  /** The same as an Observable: every subscription subscribes to the task, and unsubscribing leaves. */
  subscribe$(request: SubscribeToTaskRequest, options?: SubscribeOptions): Observable<StreamResponse> {
    return toObservable(() => this.subscribe(request, options));
  }

  /** SubscribeToTask by its name in the specification: the same as `subscribe()`. */
  subscribeToTask(request: SubscribeToTaskRequest, options?: SubscribeOptions): EventIterator {
    return this.subscribe(request, options);
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
}
