import type { Dispatcher } from 'undici';
import type { AgentCard } from '../protocol/model.js';
import type { TraceContext } from '../interfaces/server-call-context.js';
import type { ClientInterceptor } from './client-interceptor.js';
import type { ClientTimeouts } from './client-transport.js';

/** Where an agent's card comes from: looked for at a URL of the agent, at exactly one URL, or given. */
export type AgentAddress =
  | { readonly url: string | URL; readonly cardUrl?: never; readonly card?: never }
  | { readonly cardUrl: string | URL; readonly url?: never; readonly card?: never }
  | { readonly card: AgentCard; readonly url?: never; readonly cardUrl?: never };

/** What one call may say for itself. */
export interface CallOptions {
  /** Ends the call, wherever it is, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Further headers; names in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** URIs of extensions to ask for, besides the client's own (`A2A-Extensions`). */
  readonly extensions?: readonly string[];
  /** Instead of the client's, one by one. */
  readonly timeouts?: Partial<ClientTimeouts>;
  /** W3C trace context to pass on, instead of what the client's `trace` says. */
  readonly trace?: TraceContext;
}

/** How a client calls its agent. */
export interface A2AClientOptions {
  /** Bindings in the order in which they are liked; those that are not named are not spoken. Default: both. */
  readonly bindings?: readonly ClientBinding[];
  /** Whether the order of `bindings` decides, instead of the order of the card. Default false. */
  readonly useClientPreference?: boolean;
  /** Instead of the defaults, one by one. */
  readonly timeouts?: Partial<ClientTimeouts>;
  /** With every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** URIs of extensions to ask for with every call. */
  readonly extensions?: readonly string[];
  /** The trace context of whoever is calling, asked for once per exchange. */
  readonly trace?: () => TraceContext | undefined;
  readonly interceptors?: readonly ClientInterceptor[];
  /** Connections to use instead of the client's own pool; it is the caller's to close. */
  readonly dispatcher?: Dispatcher;
  /** Most bytes of an answer that is no stream. Default 10 485 760. */
  readonly maxAnswerBytes?: number;
  /** Most characters of one event of a stream. Default 10 485 760. */
  readonly maxEventLength?: number;
}

/** A binding that this client speaks, named as in AgentInterface.protocolBinding. */
export type ClientBinding = 'JSONRPC' | 'HTTP+JSON';
