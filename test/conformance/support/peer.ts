import type { OperationName, StreamResponse, Task } from 'nest-a2a';
import { expect } from 'vitest';
import { type HeaderChanges, headersOf, readAnswer } from '../../support/http.js';
import { type Extra, M } from '../../support/message.js';
import { readEvents, type SseFrame } from '../../support/sse.js';

export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;
export type Binding = (typeof BINDINGS)[number];

export type Params = Readonly<Record<string, unknown>>;

/** An error of either binding, told the same way. */
export interface Refusal {
  readonly httpStatus: number;
  readonly headers: Headers;
  /** The JSON-RPC code, or the code of google.rpc.Status. */
  readonly code: number;
  /** `error.status` of HTTP+JSON. */
  readonly status?: string;
  readonly message: string;
  readonly reason: string;
  readonly domain: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Paths that google.rpc.BadRequest names. */
  readonly fields: readonly string[];
  readonly details: readonly { readonly '@type': string }[];
}

/** An answer of either binding, told the same way; tests read into the result without casts. */
export interface Outcome {
  readonly httpStatus: number;
  readonly headers: Headers;
  readonly result?: any;
  readonly refusal?: Refusal;
}

/** HTTP+JSON as §11.3 of the specification has it; written here anew, so that the library's own table is tested, too. */
const ROUTES: Readonly<Record<OperationName, readonly [verb: string, path: string]>> = {
  SendMessage: ['POST', '/message:send'],
  SendStreamingMessage: ['POST', '/message:stream'],
  GetTask: ['GET', '/tasks/{id}'],
  ListTasks: ['GET', '/tasks'],
  CancelTask: ['POST', '/tasks/{id}:cancel'],
  SubscribeToTask: ['POST', '/tasks/{id}:subscribe'],
  CreateTaskPushNotificationConfig: ['POST', '/tasks/{taskId}/pushNotificationConfigs'],
  GetTaskPushNotificationConfig: ['GET', '/tasks/{taskId}/pushNotificationConfigs/{id}'],
  ListTaskPushNotificationConfigs: ['GET', '/tasks/{taskId}/pushNotificationConfigs'],
  DeleteTaskPushNotificationConfig: ['DELETE', '/tasks/{taskId}/pushNotificationConfigs/{id}'],
  GetExtendedAgentCard: ['GET', '/extendedAgentCard'],
};

export const OPERATION_NAMES = Object.keys(ROUTES) as OperationName[];

/** Speaks to an agent over one binding as one caller. */
export class Peer {
  #lastId = 0;

  constructor(
    /** URL of the agent, as in `http://127.0.0.1:3900/a2a`. */
    readonly url: string,
    readonly binding: Binding,
    readonly headers: HeaderChanges = {},
  ) {}

  /** The same peer with further headers. */
  with(headers: HeaderChanges): Peer {
    return new Peer(this.url, this.binding, { ...this.headers, ...headers });
  }

  /** The same peer, signed in. */
  as(user: string): Peer {
    return this.with({ authorization: `Bearer user:${user}` });
  }

  over(binding: Binding): Peer {
    return new Peer(this.url, binding, this.headers);
  }

  /** Sends a request and leaves the response unread. */
  request(operation: OperationName, params: object = {}, signal?: AbortSignal): Promise<Response> {
    if (this.binding === 'HTTP+JSON') return this.#rest(operation, { ...params }, signal);
    this.#lastId += 1;
    return fetch(`${this.url}/jsonrpc`, {
      method: 'POST',
      headers: headersOf({ 'content-type': 'application/json' }, this.headers),
      body: JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method: operation, params }),
      signal,
    });
  }

  async call(operation: OperationName, params: object = {}): Promise<Outcome> {
    return this.read(await this.request(operation, params));
  }

  /** Tells an answer that is no stream. */
  async read(response: Response): Promise<Outcome> {
    const { status: httpStatus, headers, body } = await readAnswer<any>(response);
    const outcome = { httpStatus, headers };
    const error = body?.error;
    if (error) return { ...outcome, refusal: refusalOf(error, outcome, this.binding) };
    expect(httpStatus, JSON.stringify(body)).toBe(200);
    return { ...outcome, result: this.binding === 'JSONRPC' ? body.result : body };
  }

  /** The result of a call that has to succeed. */
  async ok(operation: OperationName, params: object = {}): Promise<any> {
    const { result, refusal } = await this.call(operation, params);
    if (refusal) throw new Error(`${operation} was refused: ${refusal.reason} ${refusal.message}`);
    return result;
  }

  /** The error of a call that has to fail, be it one for a stream. */
  async refused(operation: OperationName, params: object = {}): Promise<Refusal> {
    const { result, refusal } = await this.call(operation, params);
    if (!refusal) throw new Error(`${operation} was not refused: ${JSON.stringify(result)}`);
    return refusal;
  }

  /** Sends and waits for the task. */
  async send(text: string, extra: Extra = {}): Promise<Task> {
    return (await this.ok('SendMessage', M(text, extra))).task;
  }

  /** Sends without waiting for more than the task's existence. */
  start(text: string, extra: Extra = {}): Promise<Task> {
    return this.send(text, { ...extra, configuration: { returnImmediately: true } });
  }

  reply(task: Task, text: string): Promise<Task> {
    return this.send(text, { message: { taskId: task.id } });
  }

  get(id: string): Promise<Task> {
    return this.ok('GetTask', { id });
  }

  /** The frames of a stream, up to its end, with what they carry of the protocol. */
  async frames(
    operation: OperationName,
    params: object,
  ): Promise<(Omit<SseFrame, 'data'> & { data: StreamResponse })[]> {
    const response = await this.request(operation, params);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    return (await readEvents(response)).map((frame) => ({ ...frame, data: this.payload(frame) }));
  }

  async events(operation: OperationName, params: object): Promise<StreamResponse[]> {
    return (await this.frames(operation, params)).map(({ data }) => data);
  }

  stream(text: string, extra: Extra = {}): Promise<StreamResponse[]> {
    return this.events('SendStreamingMessage', M(text, extra));
  }

  /** The StreamResponse of a frame. */
  payload({ data }: SseFrame): StreamResponse {
    return this.binding === 'JSONRPC' ? data.result : data;
  }

  #rest(
    operation: OperationName,
    { tenant, ...params }: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<Response> {
    const [verb, pattern] = ROUTES[operation];
    const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(params[name]);
      delete params[name];
      return encodeURIComponent(value);
    });
    const url = new URL(this.url + '/rest' + (tenant ? `/${String(tenant)}` : '') + path);
    const hasBody = verb === 'POST';
    if (!hasBody)
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, String(value));
    return fetch(url, {
      method: verb,
      headers: headersOf(hasBody ? { 'content-type': 'application/a2a+json' } : {}, this.headers),
      body: hasBody ? JSON.stringify(params) : undefined,
      signal,
    });
  }
}

function refusalOf(
  error: any,
  { httpStatus, headers }: Pick<Outcome, 'httpStatus' | 'headers'>,
  binding: Binding,
): Refusal {
  const details = binding === 'JSONRPC' ? error.data : error.details;
  expect(Array.isArray(details), `no list of details in ${JSON.stringify(error)}`).toBe(true);
  const find = (kind: string) =>
    details.find((detail: any) => detail['@type'] === `type.googleapis.com/google.rpc.${kind}`);
  const info = find('ErrorInfo');
  const { code, status, message } = error;
  return {
    httpStatus,
    headers,
    code,
    status,
    message,
    reason: info?.reason,
    domain: info?.domain,
    metadata: info?.metadata ?? {},
    fields: (find('BadRequest')?.fieldViolations ?? []).map(({ field }: { field: string }) => field),
    details,
  };
}
