import type { JsonObject } from '../protocol/model.js';
import type { OperationName } from '../protocol/operations.js';

/** The authenticated caller as plain JSON, so that it can travel in a queue job. */
export interface A2AUser {
  readonly id: string;
  readonly scopes?: readonly string[];
  readonly claims?: JsonObject;
}

/** The binding that a call came in through, named as in AgentInterface.protocolBinding (§4.4.6). */
export type ProtocolBinding = 'JSONRPC' | 'HTTP+JSON';

/** W3C trace context of the request. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/**
 * Who calls, and how: an immutable JSON value that follows the call everywhere, into the executor and into queue
 * jobs of other processes. It never holds credentials (`authorization`, `cookie`, API keys).
 */
export interface ServerCallContext {
  /** Id of the agent that was called. */
  readonly agent: string;
  readonly operation: OperationName;
  readonly binding: ProtocolBinding;
  /** Null when nobody authenticated the caller. */
  readonly user: A2AUser | null;
  /** Empty when the call names no tenant (§3.1). */
  readonly tenant: string;
  /** URIs of the extensions that are active: asked for by the caller and declared by the card (§3.6.3). */
  readonly extensions: readonly string[];
  /** Request headers of the allow-list, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly trace?: TraceContext;
  /** Id of the skill that was chosen for a send; absent otherwise and for agents with a plain `execute()`. */
  readonly skill?: string;
}

/** What a transport knows of a request when it asks for its context. */
export interface CallRequest {
  readonly agent: string;
  readonly operation: OperationName;
  readonly binding: ProtocolBinding;
  readonly tenant: string;
  readonly extensions: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The platform's own request (Express or Fastify), on which guards left `user`. */
  readonly request: unknown;
}

/**
 * Turns a request into a ServerCallContext; the place that knows where the host's guards leave the user.
 *
 * @publicApi
 */
export abstract class ServerCallContextBuilder {
  /** Throws an A2AError or HttpException to refuse the call. */
  abstract build(request: CallRequest): ServerCallContext | Promise<ServerCallContext>;
}
