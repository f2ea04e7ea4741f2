import type { A2AModel } from './model.js';

type Verb = 'GET' | 'POST' | 'DELETE';

/** What every binding needs to know about one operation. */
export interface Operation {
  readonly request: keyof A2AModel;
  /** `Empty` answers nothing. */
  readonly response: keyof A2AModel | 'Empty';
  /** The answer is a stream of `response`. */
  readonly streaming: boolean;
  readonly http: HttpRule;
}

/** How HTTP+JSON carries an operation. Every path also exists with the tenant in front, as in `/{tenant}/tasks`. */
export interface HttpRule {
  readonly verbs: readonly Verb[];
  /** `{name}` is one segment that sets the request's member of that name. */
  readonly path: string;
  /** The body is the request without what the path sets; otherwise the query parameters are. */
  readonly body: boolean;
}

/** The operations of A2A by their names in JSON-RPC and gRPC (spec §5.3). A test compares them with the proto. */
export const OPERATIONS = {
  SendMessage: {
    request: 'SendMessageRequest',
    response: 'SendMessageResponse',
    streaming: false,
    http: { verbs: ['POST'], path: '/message:send', body: true },
  },
  SendStreamingMessage: {
    request: 'SendMessageRequest',
    response: 'StreamResponse',
    streaming: true,
    http: { verbs: ['POST'], path: '/message:stream', body: true },
  },
  GetTask: {
    request: 'GetTaskRequest',
    response: 'Task',
    streaming: false,
    http: { verbs: ['GET'], path: '/tasks/{id}', body: false },
  },
  ListTasks: {
    request: 'ListTasksRequest',
    response: 'ListTasksResponse',
    streaming: false,
    http: { verbs: ['GET'], path: '/tasks', body: false },
  },
  CancelTask: {
    request: 'CancelTaskRequest',
    response: 'Task',
    streaming: false,
    http: { verbs: ['POST'], path: '/tasks/{id}:cancel', body: true },
  },
  SubscribeToTask: {
    request: 'SubscribeToTaskRequest',
    response: 'StreamResponse',
    streaming: true,
    // GET in the proto, POST in the text of the specification (§11.3.2): peers use either.
    http: { verbs: ['GET', 'POST'], path: '/tasks/{id}:subscribe', body: false },
  },
  CreateTaskPushNotificationConfig: {
    request: 'TaskPushNotificationConfig',
    response: 'TaskPushNotificationConfig',
    streaming: false,
    http: { verbs: ['POST'], path: '/tasks/{taskId}/pushNotificationConfigs', body: true },
  },
  GetTaskPushNotificationConfig: {
    request: 'GetTaskPushNotificationConfigRequest',
    response: 'TaskPushNotificationConfig',
    streaming: false,
    http: { verbs: ['GET'], path: '/tasks/{taskId}/pushNotificationConfigs/{id}', body: false },
  },
  ListTaskPushNotificationConfigs: {
    request: 'ListTaskPushNotificationConfigsRequest',
    response: 'ListTaskPushNotificationConfigsResponse',
    streaming: false,
    http: { verbs: ['GET'], path: '/tasks/{taskId}/pushNotificationConfigs', body: false },
  },
  GetExtendedAgentCard: {
    request: 'GetExtendedAgentCardRequest',
    response: 'AgentCard',
    streaming: false,
    http: { verbs: ['GET'], path: '/extendedAgentCard', body: false },
  },
  DeleteTaskPushNotificationConfig: {
    request: 'DeleteTaskPushNotificationConfigRequest',
    response: 'Empty',
    streaming: false,
    http: { verbs: ['DELETE'], path: '/tasks/{taskId}/pushNotificationConfigs/{id}', body: false },
  },
} as const satisfies Record<string, Operation>;

/** The name of an operation. */
export type OperationName = keyof typeof OPERATIONS;

/** Names of the operations that answer with a stream. */
export type StreamingOperationName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name]['streaming'] extends true ? Name : never;
}[OperationName];

/** What an operation is asked with. */
export type RequestOf<Name extends OperationName> = A2AModel[(typeof OPERATIONS)[Name]['request']];

/** What an operation answers, once or, in a stream, many times. */
export type ResponseOf<Name extends OperationName> =
  (typeof OPERATIONS)[Name]['response'] extends infer Response
    ? Response extends keyof A2AModel
      ? A2AModel[Response]
      : void
    : never;

/** Whether a name that came from outside is an operation's. */
export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

/** Whether an operation brings a message to the agent. */
export function isSend(operation: OperationName): boolean {
  return operation === 'SendMessage' || operation === 'SendStreamingMessage';
}
