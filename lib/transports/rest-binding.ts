import type { SpecPatch } from '../protocol/error-table.js';
import { InvalidParamsError, type A2AError } from '../protocol/errors.js';
import { OPERATIONS } from '../protocol/operations.js';
import type { Binding, BoundCall, RequestedOperation } from './binding.js';
import { readJson } from '../http/json-body.js';
import type { UnaryAnswer } from '../http/http-exchange.js';
import { answerType } from '../http/media-types.js';
import { restError } from '../http/rest-error.js';
import { readQuery, withPath } from './rest-request.js';
import { findRoute } from './rest-routes.js';

/** HTTP+JSON (spec §11). Errors have the shape of AIP-193. */
export class RestBinding implements Binding {
  readonly name = 'HTTP+JSON';

  read(call: BoundCall): RequestedOperation {
    const { operation, path } = findRoute(call.http.method, call.rest);
    const query = readQuery(call.query);
    const hasBody = OPERATIONS[operation].http.body || call.http.method === 'POST';
    const members = hasBody ? { ...tenantOf(query), ...readObject(call) } : query;
    return { operation, params: withPath(members, path) };
  }

  answer(call: BoundCall, result: unknown): UnaryAnswer {
    return { status: 200, contentType: answerType(call.http.headers), body: JSON.stringify(result ?? {}) };
  }

  fail(call: BoundCall, error: A2AError, patch: SpecPatch): UnaryAnswer {
    return restError(error, call.http.headers, patch);
  }

  frame(): readonly [string, string] {
    return ['', ''];
  }
}

/** The tenant may stand in the query of any request. */
function tenantOf({ tenant }: Record<string, unknown>): Record<string, unknown> {
  return tenant === undefined ? {} : { tenant };
}

function readObject(call: BoundCall): Record<string, unknown> {
  const json = readJson(call.body, call.http.headers) ?? {};
  if (typeof json === 'object' && !Array.isArray(json)) return json as Record<string, unknown>;
  throw new InvalidParamsError([{ field: '', description: 'must be a JSON object' }]);
}
