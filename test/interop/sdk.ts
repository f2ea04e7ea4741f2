import { randomUUID } from 'node:crypto';
import {
  type Artifact,
  type ListTasksRequest,
  type Message,
  type Part,
  Role,
  SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import {
  type CallInterceptor,
  type Client,
  type ClientConfig,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type RequestOptions,
  RestTransportFactory,
} from '@a2a-js/sdk/client';

export type BindingName = 'JSONRPC' | 'HTTP+JSON';

export interface ConnectOptions {
  readonly interceptors?: CallInterceptor[];
  readonly clientConfig?: ClientConfig;
  readonly fetchImpl?: typeof fetch;
}

/** The official client as an application makes it: from the card at the origin, with one binding preferred. */
export function connect(base: string, binding: BindingName, options: ConnectOptions = {}): Promise<Client> {
  const { fetchImpl, clientConfig, interceptors } = options;
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
      preferredTransports: [binding],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
      clientConfig: { ...clientConfig, interceptors },
    }),
  );
  return factory.createFromUrl(base);
}

/** What a test may change of a message request; everything else is the client's own default. */
export interface SendChanges {
  readonly tenant?: string;
  readonly message?: Partial<Message>;
  readonly configuration?: Partial<NonNullable<SendMessageRequest['configuration']>>;
}

/** A request of the client's own type: a text from the user, blocking unless changed. */
export function send(text: string, changes: SendChanges = {}): SendMessageRequest {
  const message: Message = {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...changes.message,
  };
  const configuration = {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: false,
    ...changes.configuration,
  };
  return { tenant: changes.tenant ?? '', message, configuration, metadata: undefined };
}

export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' };
}

/** For calls to a bare transport, which leaves out the version that the client always names. */
export const V1: RequestOptions = { serviceParameters: { 'A2A-Version': '1.0' } };

/** A request for a list with nothing asked but the changes. */
export function listing(changes: Partial<ListTasksRequest> = {}): ListTasksRequest {
  return {
    tenant: '',
    contextId: '',
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
    ...changes,
  };
}

/** Sends a text that the agent must answer with a task. */
export async function sendForTask(client: Client, text: string, changes?: SendChanges): Promise<Task> {
  const answer = await client.sendMessage(send(text, changes));
  if (!('status' in answer)) throw new Error(`${text} was answered with a message`);
  return answer;
}

/** The name of a state, without the prefix that all have. */
export function state(task: Pick<Task, 'status'> | undefined): string | undefined {
  const value = task?.status?.state;
  return value === undefined ? undefined : TaskState[value]?.replace('TASK_STATE_', '');
}

export function textOf(holder: Pick<Artifact | Message, 'parts'> | undefined): string {
  const texts = holder?.parts.map(({ content }) => (content?.$case === 'text' ? content.value : ''));
  return texts?.join('') ?? '';
}

export async function collect(stream: AsyncGenerator<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** A stream in short: `Task WORKING`, `COMPLETED`, `Message …`, or an artifact's text with `+` for append and `.` for last. */
export function show({ payload }: StreamResponse): string {
  switch (payload?.$case) {
    case 'task':
      return `Task ${state(payload.value)}`;
    case 'message':
      return `Message ${textOf(payload.value)}`;
    case 'statusUpdate':
      return state(payload.value) ?? 'no status';
    case 'artifactUpdate': {
      const { append, artifact, lastChunk } = payload.value;
      return `${append ? '+' : ''}${textOf(artifact)}${lastChunk ? '.' : ''}`;
    }
    default:
      return 'nothing';
  }
}

/** The text of all artifacts that a stream tells of, in its opening snapshot or after it. */
export function artifactText(events: readonly StreamResponse[]): string {
  return events
    .flatMap(({ payload }) => {
      if (payload?.$case === 'task') return payload.value.artifacts.map(textOf);
      return payload?.$case === 'artifactUpdate' ? textOf(payload.value.artifact) : [];
    })
    .join('');
}
