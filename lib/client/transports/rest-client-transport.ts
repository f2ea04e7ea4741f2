import type { AgentInterface } from '../../protocol/model.js';
import {
  OPERATIONS,
  type HttpRule,
  type OperationName,
  type RequestOf,
  type StreamingOperationName,
} from '../../protocol/operations.js';
import { MethodNotAllowedError, NotFoundError, RouteNotFoundError } from '../../protocol/errors.js';
import { ProtocolViolationError, UnexpectedAnswerError } from '../client-errors.js';
import type { ClientCall, ReceivedEvents } from '../client-transport.js';
import type { Exchange } from '../http/exchange.js';
import type { HttpPool } from '../http/http-pool.js';
import { headOf, HttpTransport, type PreparedCall } from './http-transport.js';
import { isObject } from '../../protocol/is-object.js';
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
  readonly #origin: string;
  /** Of the interface, without a slash at its end. */
  readonly #base: string;
  /** Of the interface, with its question mark. */
  readonly #query: string;
  #subscribeVerb: 'GET' | 'POST' = 'POST';

  constructor(agentInterface: AgentInterface, pool: HttpPool) {
    super(agentInterface, pool);
    const { origin, pathname, search } = new URL(agentInterface.url);
    this.#origin = origin;
    this.#base = pathname.replace(/\/+$/, '');
    this.#query = search;
  }

  override async stream<Name extends StreamingOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    call: ClientCall,
  ): Promise<ReceivedEvents> {
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
    const origin = this.#origin;
    const path = this.#base + tenantOf(members) + pathOf(rule.path, members);
    const headers: Record<string, string> = {
      accept: streaming
        ? 'text/event-stream, application/a2a+json, application/json'
        : 'application/a2a+json, application/json',
    };
    if (!rule.body) {
      const http = { method, origin, path: path + queryOf(this.#query, members), headers };
      return { operation, streaming, http };
    }
    headers['content-type'] = 'application/a2a+json';
    return {
      operation,
      streaming,
      http: { method, origin, path: path + this.#query, headers, body: JSON.stringify(members) },
    };
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
  return typeof tenant === 'string' && tenant !== '' ? `/${segment('tenant', tenant)}` : '';
}

/** Takes what the path names out of the request. */
function pathOf(path: string, members: Members): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = members[name];
    delete members[name];
    return segment(name, value);
  });
}

/** Dots alone would lead to another path, and half a surrogate pair has no bytes. */
function segment(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^\.{0,2}$|\p{Surrogate}/u.test(value)) return encodeURIComponent(value);
  throw new TypeError(`${name} must be able to stand in a path, unlike ${JSON.stringify(value)}`);
}

/** What remains of the request, after what the interface's URL has. */
function queryOf(given: string, members: Readonly<Members>): string {
  const query = new URLSearchParams(given);
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size > 0 ? `?${query}` : '';
}
