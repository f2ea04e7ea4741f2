import {
  OPERATIONS,
  type HttpRule,
  type OperationName,
  type RequestOf,
  type StreamingOperationName,
} from '../../protocol/operations.js';
import { MethodNotAllowedError, NotFoundError, RouteNotFoundError } from '../../protocol/errors.js';
import { ProtocolViolationError, UnexpectedAnswerError } from '../client-errors.js';
import type { ClientCall, ReceivedEvent } from '../client-transport.js';
import type { Exchange } from '../http/exchange.js';
import { headOf, HttpTransport, type PreparedCall } from './http-transport.js';
import { isObject } from '../is-object.js';
import { readAnswer } from './read-answer.js';
import { fromReport } from './peer-error.js';
import { reasonOfStatus } from './status-reason.js';

type Members = Record<string, unknown>;

/**
 * HTTP+JSON (spec §11). SubscribeToTask is a POST in the text of the specification and a GET in its proto: POST goes first, and what the peer
 * takes is remembered.
 *
 * @publicApi
 */
export class RestClientTransport extends HttpTransport {
  #subscribeVerb: 'GET' | 'POST' = 'POST';

  override async stream<Name extends StreamingOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    call: ClientCall,
  ): Promise<AsyncIterableIterator<ReceivedEvent>> {
    if (operation !== 'SubscribeToTask') return super.stream(operation, request, call);
    const verb = this.#subscribeVerb;
    try {
      return await super.stream(operation, request, call);
    } catch (error) {
      if (!isRouteMissing(error)) throw error;
      this.#subscribeVerb = verb === 'POST' ? 'GET' : 'POST';
      return super.stream(operation, request, call);
    }
  }

  protected override prepare(operation: OperationName, request: object, _call: ClientCall): PreparedCall {
    const { streaming, http: rule }: { streaming: boolean; http: HttpRule } = OPERATIONS[operation];
    const method = operation === 'SubscribeToTask' ? this.#subscribeVerb : rule.verbs[0]!;
    const members: Members = { ...request };
    const url = new URL(this.agentInterface.url);
    url.pathname = url.pathname.replace(/\/+$/, '') + tenantOf(members) + pathOf(rule.path, members);
    const headers: Record<string, string> = {
      accept: streaming
        ? 'text/event-stream, application/a2a+json, application/json'
        : 'application/a2a+json, application/json',
    };
    if (!rule.body) {
      setQuery(url, members);
      return { operation, streaming, http: { method, url, headers } };
    }
    headers['content-type'] = 'application/a2a+json';
    return { operation, streaming, http: { method, url, headers, body: JSON.stringify(members) } };
  }

  protected override reports(json: unknown): boolean {
    return isObject(json) && isObject(json['error']);
  }

  protected override open(json: unknown, sent: PreparedCall, exchange: Exchange): unknown {
    const error = isObject(json) ? json['error'] : undefined;
    if (isObject(error)) throw this.#reported(error, sent, exchange);
    if (json === undefined) throw new ProtocolViolationError(`The answer to ${sent.operation} is no JSON`);
    return readAnswer(sent.operation, json);
  }

  /** In a stream, whose status is 200, the error's own code tells. */
  #reported(error: Members, { operation }: PreparedCall, exchange: Exchange): Error {
    const head = headOf(exchange);
    const status = head.status < 400 && typeof error['code'] === 'number' ? error['code'] : head.status;
    const reason = reasonOfStatus(operation, status, error['status']);
    return fromReport({ ...head, status, details: error['details'], message: error['message'], reason });
  }
}

/** Nothing is at this path with this verb; a task that is missing has a reason of its own. */
function isRouteMissing(error: unknown): boolean {
  if (error instanceof UnexpectedAnswerError) return error.status === 404 || error.status === 405;
  return (
    error instanceof MethodNotAllowedError ||
    error instanceof RouteNotFoundError ||
    error instanceof NotFoundError
  );
}

/** Takes the tenant out of the request, as the first segment of the path. */
function tenantOf(members: Members): string {
  const { tenant } = members;
  delete members['tenant'];
  return typeof tenant === 'string' && tenant !== '' ? `/${encodeURIComponent(tenant)}` : '';
}

/** Takes what the path names out of the request. */
function pathOf(path: string, members: Members): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = members[name];
    if (typeof value !== 'string' || value === '')
      throw new TypeError(`The request needs a non-empty ${name}`);
    delete members[name];
    return encodeURIComponent(value);
  });
}

function setQuery(url: URL, members: Readonly<Members>): void {
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
}
