import type { AgentInterface, StreamResponse } from '../protocol/model.js';
import type { OperationName, RequestOf, ResponseOf, StreamingOperationName } from '../protocol/operations.js';

/** Names of the operations that answer once. */
export type UnaryOperationName = Exclude<OperationName, StreamingOperationName>;

/** How long a call may take, in ms; 0 sets no limit. */
export interface ClientTimeouts {
  /** Until a connection is there. */
  readonly connectMs: number;
  /** From the request to the head of the answer. */
  readonly firstByteMs: number;
  /** Between two pieces of the answer, from when the first was read; heartbeats count. */
  readonly idleMs: number;
  /** For the whole call, streams included. */
  readonly totalMs: number;
}

/** The limits of one exchange of a call, which may take several. */
export interface ExchangeTimeouts extends ClientTimeouts {
  /** What earlier exchanges left of `totalMs`. Default all of it. */
  readonly leftMs?: number;
}

/** What belongs to one exchange besides its request. */
export interface ClientCall {
  /** Names in lower case. `a2a-version`, content type and accept are the transport's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added to the URL's query, as for API keys that travel there. */
  readonly query?: Readonly<Record<string, string>>;
  /** Goes on after this event, where the peer numbers its events. */
  readonly lastEventId?: string;
  readonly timeouts: ExchangeTimeouts;
  readonly signal?: AbortSignal;
}

/** An event of a stream, and the id that the peer gave it (SSE `id`). */
export interface ReceivedEvent {
  readonly event: StreamResponse;
  readonly id?: string;
}

/** The events of one exchange, as they come. */
export interface ReceivedEvents extends AsyncIterableIterator<ReceivedEvent> {
  /** The next event, where it is here already; what it fails with is left for next() to throw. Saves a wait for each event. */
  take?(): ReceivedEvent | undefined;
}

/** One binding of the protocol, spoken to one interface of an agent: bytes and errors, neither retries nor credentials. */
export abstract class ClientTransport {
  /** The interface of the card that is spoken to. */
  abstract readonly agentInterface: AgentInterface;

  /** Throws the peer's A2AError, or an error of this room where there was no answer or none of A2A. */
  abstract call<Name extends UnaryOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    call: ClientCall,
  ): Promise<ResponseOf<Name>>;

  /**
   * Resolves when the answer's head says that it is a stream; throws as call() does. The events end where the body is ended, and throw where it
   * breaks off (the caller judges whether the story is complete), and the peer's A2AError. Leaving the iteration closes the connection.
   */
  abstract stream<Name extends StreamingOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    call: ClientCall,
  ): Promise<ReceivedEvents>;
}
