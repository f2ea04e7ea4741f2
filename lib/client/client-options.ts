import type { CardVerificationOptions } from '../agent-card/verify-agent-card.js';
import type { AgentCard } from '../protocol/model.js';
import type { TraceContext } from '../interfaces/server-call-context.js';
import type { RetryOptions } from './calls/retry-policy.js';
import type { ClientAuthOptions } from './auth/auth-options.js';
import type { ClientInterceptor } from './client-interceptor.js';
import type { ClientTimeouts } from './client-transport.js';
import type { ConnectionPoolOptions } from './http/http-pool.js';
import type { ResumeOptions } from './streams/resume-options.js';

/** Where an agent's card comes from: looked for at a URL of the agent, at exactly one URL, or given. */
export type AgentAddress =
  | { readonly url: string | URL; readonly cardUrl?: never; readonly card?: never }
  | { readonly cardUrl: string | URL; readonly url?: never; readonly card?: never }
  | { readonly card: AgentCard; readonly url?: never; readonly cardUrl?: never };

/** What one call may say for itself. */
export interface CallOptions {
  /** Ends the call, wherever it is, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Further headers, for where the client's `headers` go; names in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** URIs of extensions to ask for, besides the client's own (`A2A-Extensions`). */
  readonly extensions?: readonly string[];
  /** Instead of the client's, one by one. */
  readonly timeouts?: Partial<ClientTimeouts>;
  /** W3C trace context to pass on, instead of what the client's `trace` says. */
  readonly trace?: TraceContext;
  /** Instead of the client's, one by one. */
  readonly retry?: RetryOptions;
}

/** How a client calls its agent. */
export interface A2AClientOptions extends ConnectionPoolOptions, ClientAuthOptions {
  /** Bindings that are spoken, in the order in which they are liked. Default: both, JSON-RPC first. */
  readonly bindings?: readonly ClientBinding[];
  /** Whether the order of `bindings` decides which interface is used, instead of the order of the card. Default false. */
  readonly useClientPreference?: boolean;
  /** Takes URLs of interfaces that are relative to the card's. Default false. */
  readonly allowRelativeUrls?: boolean;
  /**
   * How signatures of the card are judged: who is trusted. The policy is `if-present` unless given. Without this option a signature is verified
   * where it names keys (`jku`) that the card's own origin publishes over https; others are not looked at.
   */
  readonly signatures?: CardVerificationOptions;
  /** Instead of the defaults, one by one: 10 s to connect, 60 s to the first byte (10 min for a blocking send), 120 s of silence, no total. */
  readonly timeouts?: Partial<ClientTimeouts>;
  readonly retry?: RetryOptions;
  /**
   * With every request, that for the card included; names in any case. They go to the origin of `url` or `cardUrl` only, and to
   * `trustedOrigins`: a card may name interfaces of strangers. A card that is given is trusted as a whole.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Origins that headers, and credentials that name no origins, may go to besides the agent's own, as in `https://api.example.com`. */
  readonly trustedOrigins?: readonly string[];
  /** URIs of extensions to ask for with every call. */
  readonly extensions?: readonly string[];
  /** The trace context of whoever is calling, asked for once per exchange. */
  readonly trace?: () => TraceContext | undefined;
  /** In this order; see ClientInterceptor. */
  readonly interceptors?: readonly ClientInterceptor[];
  /** How streams go on whose connection ends too early; false: not at all. Default true. */
  readonly resume?: boolean | Partial<ResumeOptions>;
}

/** What holds for every call of a client unless the call says otherwise. */
export type ClientDefaults = Pick<A2AClientOptions, 'resume' | 'retry' | 'timeouts'>;

/** A binding that this client speaks, named as in AgentInterface.protocolBinding. */
export type ClientBinding = 'JSONRPC' | 'HTTP+JSON';
