import type { HttpRequest } from '../http/body-gate.js';
import type { UnaryAnswer } from '../http/http-exchange.js';
import type { ProtocolBinding } from '../interfaces/server-call-context.js';
import type { A2AError } from '../protocol/errors.js';
import type { SpecPatch } from '../protocol/error-table.js';
import type { OperationName } from '../protocol/operations.js';
import type { Body } from '../http/read-body.js';

/** What a binding knows of a call. */
export interface BoundCall {
  readonly http: HttpRequest;
  /** What follows the binding's path. */
  readonly rest: string;
  readonly query: URLSearchParams;
  readonly body: Body;
  /** What the binding noted of the request for its answers. */
  note: unknown;
  requested(): RequestedOperation;
}

/** What a request asks for, before validation. */
export interface RequestedOperation {
  readonly operation: OperationName;
  readonly params: Readonly<Record<string, unknown>>;
  /** JSON-RPC without an id: nobody waits for an answer. */
  readonly notification?: true;
}

/** How one binding of the protocol puts operations into HTTP. Everything else is the same for all. */
export interface Binding {
  readonly name: ProtocolBinding;
  /** Throws an A2AError when the request is none of this binding's. */
  read(call: BoundCall): RequestedOperation;
  answer(call: BoundCall, result: unknown): UnaryAnswer;
  fail(call: BoundCall, error: A2AError, patch: SpecPatch): UnaryAnswer;
  /** What stands around the JSON of every event of a stream. */
  frame(call: BoundCall): readonly [before: string, after: string];
}
