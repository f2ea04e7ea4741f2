import { InvalidParamsError, InvalidRequestError, MethodNotFoundError } from '../protocol/errors.js';
import { isObject } from '../protocol/is-object.js';
import { isOperationName } from '../protocol/operations.js';
import type { RequestedOperation } from './binding.js';

/** Id of a JSON-RPC request, echoed as it is. */
export type JsonRpcId = string | number | null;

type Members = Readonly<Record<string, unknown>>;

/** The id to echo: null unless the request is valid so far that its id means something (JSON-RPC 2.0 §5). */
export function idOf(json: unknown): JsonRpcId {
  return isEnvelope(json) && isId(json['id']) ? json['id'] : null;
}

/** Reads a request object (spec §9.4). Throws InvalidRequestError, MethodNotFoundError or InvalidParamsError. */
export function readEnvelope(json: unknown): RequestedOperation {
  if (Array.isArray(json)) {
    throw new InvalidRequestError('Batches are no part of A2A; send one request object a time');
  }
  if (!isEnvelope(json)) {
    throw new InvalidRequestError(
      'The body must be a JSON-RPC 2.0 request: {"jsonrpc":"2.0","id":…,"method":"…","params":{…}}, ' +
        'with an id that is a string or a number',
    );
  }
  const method = json['method'] as string;
  if (!isOperationName(method)) throw unknownMethod(method);
  const params = json['params'] === undefined ? {} : json['params'];
  if (!isObject(params)) {
    throw new InvalidParamsError([{ field: 'params', description: 'must be an object' }]);
  }
  return { operation: method, params, ...(json['id'] === undefined && { notification: true as const }) };
}

function isEnvelope(json: unknown): json is Members {
  if (!isObject(json)) return false;
  const { jsonrpc, method, id } = json;
  return jsonrpc === '2.0' && typeof method === 'string' && (id === undefined || isId(id));
}

function isId(id: unknown): id is JsonRpcId {
  return id === null || typeof id === 'string' || typeof id === 'number';
}

function unknownMethod(method: string): MethodNotFoundError {
  const name = JSON.stringify(method.slice(0, 64));
  if (!method.includes('/')) return new MethodNotFoundError(`Method ${name} not found`);
  return new MethodNotFoundError(
    `Method ${name} not found. It is a name of A2A 0.3; version 1.0 has names such as SendMessage`,
  );
}
