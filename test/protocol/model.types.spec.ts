import type { MessageInitShape } from '@bufbuild/protobuf';
import { describe, expectTypeOf, it } from 'vitest';
import type { AgentEvent } from '../../lib/protocol/events.js';
import type * as pb from '../../lib/protocol/gen/lf/a2a/v1/a2a_pb.js';
import type {
  A2AModel,
  AgentCard,
  JsonObject,
  JsonValue,
  ListTasksRequest,
  Message,
  OAuthFlows,
  Part,
  Role,
  SecurityScheme,
  StreamResponse,
  Task,
  TaskState,
  TaskStatus,
} from '../../lib/protocol/model.js';
import type {
  OperationName,
  RequestOf,
  ResponseOf,
  StreamingOperationName,
} from '../../lib/protocol/operations.js';

const PARTS: Part[] = [
  { text: 'hi' },
  { raw: '' },
  { url: '' },
  { data: null, mediaType: 'application/json' },
];

const WRONG_PARTS: Part[] = [
  // @ts-expect-error a part has one content
  { text: 'x', raw: 'YQ==' },
  // @ts-expect-error a part has a content
  { filename: 'x' },
  // @ts-expect-error there is no such content
  { kind: 'text', text: 'x' },
  // @ts-expect-error bytes are base64
  { raw: new Uint8Array() },
];

const EVENTS: AgentEvent[] = [
  { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } },
  { artifactUpdate: { artifact: { artifactId: 'a', parts: PARTS } } },
  // @ts-expect-error an event is one thing
  {
    statusUpdate: { status: { state: 'TASK_STATE_WORKING' } },
    artifactUpdate: { artifact: { artifactId: 'a', parts: [] } },
  },
];

// @ts-expect-error a scheme is of one kind
const WRONG_SCHEME: SecurityScheme = { mtlsSecurityScheme: {}, httpAuthSecurityScheme: { scheme: 'Bearer' } };
// @ts-expect-error a flow has its REQUIRED members
const WRONG_FLOW: OAuthFlows = { clientCredentials: { tokenUrl: 'u' } };
// @ts-expect-error UNSPECIFIED is no state
const WRONG_STATE: TaskState = 'TASK_STATE_UNSPECIFIED';
const task: Task = { id: 't', status: { state: 'TASK_STATE_WORKING' } };
const message: Message = { messageId: 'm', role: 'ROLE_AGENT', parts: PARTS };
// @ts-expect-error a stream event is one thing
const WRONG_EVENT: StreamResponse = { task, message };

describe('the types of the model', () => {
  it('tell the content of a part by its member', () => {
    const read = (part: Part) => {
      if (part.text !== undefined) expectTypeOf(part.text).toEqualTypeOf<string>();
      else if (part.raw !== undefined) expectTypeOf(part.raw).toEqualTypeOf<string>();
      else if (part.url !== undefined) expectTypeOf(part.url).toEqualTypeOf<string>();
      else expectTypeOf(part.data).toEqualTypeOf<JsonValue>();
    };
    PARTS.forEach(read);
    void [WRONG_PARTS, EVENTS, WRONG_SCHEME, WRONG_FLOW, WRONG_STATE, WRONG_EVENT];
  });

  it('have unions of literals for enums', () => {
    expectTypeOf<Role>().toEqualTypeOf<'ROLE_USER' | 'ROLE_AGENT'>();
    expectTypeOf<TaskStatus['state']>().toEqualTypeOf<TaskState>();
    const isDone = (state: TaskState): boolean => {
      switch (state) {
        case 'TASK_STATE_SUBMITTED':
        case 'TASK_STATE_WORKING':
        case 'TASK_STATE_INPUT_REQUIRED':
        case 'TASK_STATE_AUTH_REQUIRED':
          return false;
        case 'TASK_STATE_COMPLETED':
        case 'TASK_STATE_FAILED':
        case 'TASK_STATE_CANCELED':
        case 'TASK_STATE_REJECTED':
          return true;
      }
    };
    expectTypeOf(isDone).returns.toEqualTypeOf<boolean>();
  });

  it('have what is REQUIRED, and may lack the rest', () => {
    expectTypeOf<Message['messageId']>().toEqualTypeOf<string>();
    expectTypeOf<Message['taskId']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Task['metadata']>().toEqualTypeOf<JsonObject | undefined>();
    expectTypeOf<ListTasksRequest>().toExtend<{ pageSize?: number; statusTimestampAfter?: string }>();
    expectTypeOf<AgentCard['securitySchemes']>().toEqualTypeOf<Record<string, SecurityScheme> | undefined>();
    expectTypeOf<{}>().toExtend<ListTasksRequest>();
  });

  it('are what Protocol Buffers calls the JSON of the messages', () => {
    expectTypeOf<Task>().toExtend<pb.TaskJson>();
    expectTypeOf<AgentCard>().toExtend<pb.AgentCardJson>();
    expectTypeOf<StreamResponse>().toExtend<pb.StreamResponseJson>();
    expectTypeOf<A2AModel['SendMessageRequest']>().toExtend<pb.SendMessageRequestJson>();
    expectTypeOf<MessageInitShape<typeof pb.PartSchema>>().not.toExtend<Part>();
  });

  it('follow from the operations', () => {
    expectTypeOf<StreamingOperationName>().toEqualTypeOf<'SendStreamingMessage' | 'SubscribeToTask'>();
    expectTypeOf<RequestOf<'ListTasks'>>().toEqualTypeOf<ListTasksRequest>();
    expectTypeOf<ResponseOf<'CancelTask'>>().toEqualTypeOf<Task>();
    expectTypeOf<ResponseOf<'DeleteTaskPushNotificationConfig'>>().toEqualTypeOf<void>();
    expectTypeOf<'toString'>().not.toExtend<OperationName>();
  });
});
