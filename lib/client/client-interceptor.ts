import type { A2AError } from '../protocol/errors.js';
import type { AgentCard, AgentInterface } from '../protocol/model.js';
import type { OperationName, RequestOf } from '../protocol/operations.js';

/** A call on its way out, which interceptors may add to. One object per exchange: a retry is another. */
export interface OutgoingCall<Name extends OperationName = OperationName> {
  readonly operation: Name;
  readonly card: AgentCard;
  /** Where it goes: credentials belong to the origin of its `url`. */
  readonly agentInterface: AgentInterface;
  request: RequestOf<Name>;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  /** Query parameters. */
  readonly query: Record<string, string>;
  readonly signal?: AbortSignal;
  /** 1 for the first exchange of a call, then one more for each retry or resumption. */
  readonly attempt: number;
}

/**
 * Looks at every exchange: before it goes out, and at what came of it. Streams count as one exchange, whose outcome is the opening.
 *
 * @publicApi
 */
export interface ClientInterceptor {
  /** In the order of registration. What it throws is what the call throws. */
  before?(call: OutgoingCall): void | Promise<void>;
  /** In the reverse order; `error` is absent when the peer answered. */
  after?(call: OutgoingCall, error?: unknown): void | Promise<void>;
  /**
   * The peer answered 401. True has the call repeated, once, from `before` on: other credentials are there. Concurrent calls may ask at the same time.
   */
  unauthorized?(call: OutgoingCall, error: A2AError): boolean | Promise<boolean>;
}
