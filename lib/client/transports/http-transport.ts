import type { AgentInterface, StreamResponse } from '../../protocol/model.js';
import {
  OPERATIONS,
  type OperationName,
  type RequestOf,
  type ResponseOf,
  type StreamingOperationName,
} from '../../protocol/operations.js';
import { PROTOCOL_VERSION, VERSION_HEADER } from '../../protocol/version.js';
import { ProtocolViolationError, UnexpectedAnswerError } from '../client-errors.js';
import {
  ClientTransport,
  type ClientCall,
  type ReceivedEvents,
  type UnaryOperationName,
} from '../client-transport.js';
import { hostOf, type Exchange, type HttpRequest } from '../http/exchange.js';
import { challengesOf, contentTypeOf, isJson, retryAfterOf } from '../http/http-head.js';
import type { HttpPool } from '../http/http-pool.js';
import { EventStream } from './event-stream.js';
import { fromReport, type ReportedError } from './peer-error.js';

/** Statuses that say what is wrong although the body is not A2A's: gateways answer them too. */
const TELLING = new Set([401, 403, 413, 429, 503]);

const EVENT_STREAM = 'text/event-stream';

/** What both bindings over HTTP have in common: exchanges, streams of SSE, errors of HTTP itself. */
export abstract class HttpTransport extends ClientTransport {
  constructor(
    override readonly agentInterface: AgentInterface,
    private readonly pool: HttpPool,
  ) {
    super();
  }

  override async call<Name extends UnaryOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    call: ClientCall,
  ): Promise<ResponseOf<Name>> {
    const sent = this.prepare(operation, request, call);
    const exchange = await this.#send(sent, call);
    return this.#finish(exchange, sent) as Promise<ResponseOf<Name>>;
  }

  override async stream<Name extends StreamingOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    call: ClientCall,
  ): Promise<ReceivedEvents> {
    const sent = this.prepare(operation, request, call);
    const exchange = await this.#send(sent, call);
    if (exchange.status === 200 && contentTypeOf(exchange.headers) === EVENT_STREAM) {
      return new EventStream(
        exchange,
        this.pool.maxEventLength,
        (data) => this.open(parse(data), sent, exchange) as StreamResponse,
      );
    }
    await this.#finish(exchange, sent);
    throw new ProtocolViolationError(`The answer to ${operation} is no stream`);
  }

  /** The HTTP request for an operation. */
  protected abstract prepare(operation: OperationName, request: object, call: ClientCall): PreparedCall;

  /** Whether JSON is an error in the binding's shape. */
  protected abstract reports(json: unknown): boolean;

  /** What an answer, or the data of an event, holds; throws what it reports. */
  protected abstract open(json: unknown, sent: PreparedCall, exchange: Exchange): unknown;

  async #send({ http, streaming }: PreparedCall, call: ClientCall): Promise<Exchange> {
    const headers: Record<string, string> = { ...call.headers, ...http.headers };
    headers[VERSION_HEADER.toLowerCase()] = PROTOCOL_VERSION;
    if (streaming && call.lastEventId !== undefined) headers['last-event-id'] = call.lastEventId;
    headers['accept-encoding'] = 'identity';
    const exchange = await this.pool.send({ ...http, path: withQuery(http.path, call.query), headers }, call);
    const coding = exchange.headers['content-encoding'] ?? 'identity';
    if (coding === 'identity') return exchange;
    exchange.close();
    throw new ProtocolViolationError(
      `${hostOf(http)} answered with the content coding ${coding}, which was not asked for`,
    );
  }

  /** Reads an answer that is no stream. */
  async #finish(exchange: Exchange, sent: PreparedCall): Promise<unknown> {
    const { status, headers } = exchange;
    if (isEmptyAnswer(exchange, sent)) return exchange.close();
    if (!isJson(contentTypeOf(headers))) {
      exchange.close();
      throw this.#unexpected(exchange, sent);
    }
    const json = parse(await exchange.text(this.pool.maxAnswerBytes));
    if ((status < 200 || status > 299) && !this.reports(json)) throw this.#unexpected(exchange, sent);
    return this.open(json, sent, exchange);
  }

  /** The error of an answer that says nothing in A2A's words. */
  #unexpected({ status, headers }: Exchange, { http }: PreparedCall): Error {
    const type = contentTypeOf(headers);
    if (TELLING.has(status))
      return fromReport({ ...headOf({ status, headers }), details: [], message: undefined });
    const what = type === '' ? 'no content type' : type;
    const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    const message = `${hostOf(http)} answered ${status} with ${what}, which is no answer of A2A${redirect}`;
    return new UnexpectedAnswerError(message, status, type, retryAfterOf(headers));
  }
}

/** A request, and what is needed to read its answer. */
export interface PreparedCall {
  readonly operation: OperationName;
  readonly streaming: boolean;
  readonly http: HttpRequest;
  /** The id of the JSON-RPC request. */
  readonly id?: number;
}

function withQuery(path: string, query: ClientCall['query'] = {}): string {
  if (Object.keys(query).length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`;
}

/** What the head of an answer says about an error. */
export function headOf({
  status,
  headers,
}: Pick<Exchange, 'status' | 'headers'>): Pick<ReportedError, 'status' | 'challenges' | 'retryAfterSeconds'> {
  return { status, challenges: challengesOf(headers), retryAfterSeconds: retryAfterOf(headers) };
}

/** Nothing is an answer where nothing was asked for, even if it calls itself JSON, as that of the JavaScript SDK's server does. */
function isEmptyAnswer({ status, headers }: Exchange, { operation }: PreparedCall): boolean {
  if (OPERATIONS[operation].response !== 'Empty') return false;
  const isEmpty = headers['content-length'] === '0' || contentTypeOf(headers) === '';
  return status === 204 || (status === 200 && isEmpty);
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
