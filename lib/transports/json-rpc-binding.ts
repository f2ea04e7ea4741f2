import { jsonRpcHttpStatusOf } from '../protocol/error-table.js';
import { MethodNotAllowedError, RouteNotFoundError, type A2AError } from '../protocol/errors.js';
import type { UnaryAnswer } from '../http/http-exchange.js';
import type { Binding, BoundCall, RequestedOperation } from './binding.js';
import { readJson } from '../http/json-body.js';
import { idOf, readEnvelope, type JsonRpcId } from './json-rpc-envelope.js';
import { JSON_TYPE } from '../http/media-types.js';

/** JSON-RPC 2.0 over HTTP (spec §9). Errors of the protocol answer 200; those of HTTP itself keep their status. */
export class JsonRpcBinding implements Binding {
  readonly name = 'JSONRPC';

  read(call: BoundCall): RequestedOperation {
    if (call.rest !== '' && call.rest !== '/') throw new RouteNotFoundError();
    if (call.http.method !== 'POST') {
      throw new MethodNotAllowedError('JSON-RPC requests are sent with POST', {
        metadata: { allow: 'POST' },
      });
    }
    const json = readJson(call.body, call.http.headers);
    call.note = idOf(json);
    return readEnvelope(json);
  }

  answer(call: BoundCall, result: unknown): UnaryAnswer {
    const [before, after] = this.frame(call);
    return { status: 200, contentType: JSON_TYPE, body: before + JSON.stringify(result) + after };
  }

  fail(call: BoundCall, error: A2AError): UnaryAnswer {
    const { code, message, details: data } = error;
    const body = { jsonrpc: '2.0', id: this.idOf(call), error: { code, message, data } };
    return { status: jsonRpcHttpStatusOf(error), contentType: JSON_TYPE, body: JSON.stringify(body) };
  }

  frame(call: BoundCall): readonly [string, string] {
    return [`{"jsonrpc":"2.0","id":${JSON.stringify(this.idOf(call))},"result":`, '}'];
  }

  /** Also for calls that nobody has read yet: a guard may refuse before. */
  private idOf(call: BoundCall): JsonRpcId {
    try {
      call.requested();
    } catch {
      // Told elsewhere; here only the id matters.
    }
    return call.note as JsonRpcId;
  }
}
