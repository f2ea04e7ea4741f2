/**
 * What goes wrong between a client and its peer. What the peer itself reports is an A2AError instead, the same classes as on the server.
 *
 * @publicApi
 */
export abstract class A2AClientError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer, or one that broke off: a connection that could not be made or was lost. `cause` says more. */
export class TransportError extends A2AClientError {
  constructor(
    message: string,
    /** Whether a connection was there and the request under way: then the peer may have acted on it. */
    readonly requestSent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The part of an exchange that took too long; see ClientTimeouts. */
export type TimeoutPhase = 'connect' | 'firstByte' | 'idle' | 'total';

const PHASES: Readonly<Record<TimeoutPhase, string>> = {
  connect: 'could not be reached',
  firstByte: 'did not begin to answer',
  idle: 'fell silent in the middle of its answer',
  total: 'did not finish its answer',
};

/** A limit of ClientTimeouts was reached. */
export class ClientTimeoutError extends A2AClientError {
  constructor(
    readonly phase: TimeoutPhase,
    /** The limit, in ms. */
    readonly limitMs: number,
    /** As in TransportError. */
    readonly requestSent: boolean,
    host: string,
  ) {
    super(`${host} ${PHASES[phase]} within ${limitMs} ms`);
  }
}

/** An HTTP answer that is none of A2A, such as the error page of a proxy or a redirect. Its body is not kept. */
export class UnexpectedAnswerError extends A2AClientError {
  constructor(
    message: string,
    /** Of the HTTP answer. */
    readonly status: number,
    /** Without parameters; empty when there is none. */
    readonly contentType: string,
    /** What `Retry-After` says, in seconds. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

/** An answer that breaks the rules of the protocol: a wrong envelope, something else than was asked for, more than the limit. */
export class ProtocolViolationError extends A2AClientError {}

/** The agent's card could not be had, or shows no interface that this client speaks. */
export class AgentDiscoveryError extends A2AClientError {}

/** The client was closed before or during the call. */
export class ClientClosedError extends A2AClientError {}
