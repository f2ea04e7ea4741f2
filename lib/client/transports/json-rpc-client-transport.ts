import type { AgentInterface } from '../../protocol/model.js';
import { OPERATIONS, type OperationName } from '../../protocol/operations.js';
import { ProtocolViolationError } from '../client-errors.js';
import type { ClientCall } from '../client-transport.js';
import type { Exchange } from '../http/exchange.js';
import type { HttpPool } from '../http/http-pool.js';
import { headOf, HttpTransport, type PreparedCall } from './http-transport.js';
import { isObject } from '../../protocol/is-object.js';
import { readAnswer } from './read-answer.js';
import { fromReport, reasonOfCode } from './peer-error.js';

/**
 * JSON-RPC 2.0 over HTTP (spec §9). Every answer, and every event of a stream, must be an envelope for exactly this request.
 *
 * @publicApi
 */
export class JsonRpcClientTransport extends HttpTransport {
  readonly #origin: string;
  /** As the card has it, to the slash. */
  readonly #path: string;
  #lastId = 0;

  constructor(agentInterface: AgentInterface, pool: HttpPool) {
    super(agentInterface, pool);
    const { origin, pathname, search } = new URL(agentInterface.url);
    this.#origin = origin;
    this.#path = pathname + search;
  }

  protected override prepare(operation: OperationName, request: object, _call: ClientCall): PreparedCall {
    const id = ++this.#lastId;
    const { streaming } = OPERATIONS[operation];
    const headers = {
      'content-type': 'application/json',
      accept: streaming ? 'text/event-stream, application/json' : 'application/json',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: operation, params: request });
    const http = { method: 'POST', origin: this.#origin, path: this.#path, headers, body } as const;
    return { operation, streaming, id, http };
  }

  protected override reports(json: unknown): boolean {
    return isObject(json) && json['jsonrpc'] === '2.0' && isObject(json['error']);
  }

  protected override open(json: unknown, sent: PreparedCall, exchange: Exchange): unknown {
    const { result, error } = readEnvelope(json, sent);
    if (error === undefined) return readAnswer(sent.operation, result);
    const reason = reasonOfCode(error['code'], exchange.status);
    throw fromReport({ ...headOf(exchange), details: error['data'], message: error['message'], reason });
  }
}

interface Envelope {
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>> | undefined;
}

/** JSON-RPC 2.0 §5. An error about a request that the peer could not read has no id of it, so null will do there. */
function readEnvelope(json: unknown, { id }: PreparedCall): Envelope {
  if (!isObject(json) || json['jsonrpc'] !== '2.0') throw violation('is no JSON-RPC 2.0 response');
  const hasResult = Object.hasOwn(json, 'result');
  const { error } = json;
  const hasError = error !== undefined && error !== null;
  if (hasResult === hasError)
    throw violation(`has ${hasResult ? 'both a result and' : 'neither a result nor'} an error`);
  if (hasError && !isObject(error)) throw violation('has an error that is no object');
  const isOurs = json['id'] === id || (hasError && json['id'] === null);
  if (!isOurs) throw violation('has the id of another request');
  if (hasError) return { error: error as Record<string, unknown> };
  return { result: json['result'] };
}

function violation(flaw: string): ProtocolViolationError {
  return new ProtocolViolationError(`The peer's answer ${flaw}`);
}
