import type { AgentCard } from '../protocol/model.js';
import type { RequestOf, ResponseOf, StreamingOperationName } from '../protocol/operations.js';
import type { CallOptions } from './client-options.js';
import type { ReceivedEvents, UnaryOperationName } from './client-transport.js';

/** How a stream goes on that began before. */
export interface Resumption {
  /** Goes on after this event, where the peer numbers its events. */
  readonly lastEventId?: string;
  /** What interceptors are told first; 1 unless given. */
  readonly attempt?: number;
}

/**
 * The way to one agent, whoever it leads through: card, interface, interceptors, retries. It connects when it is first needed. What stands
 * above it (A2AClient, surviving streams) knows operations only.
 */
export abstract class AgentConnection {
  /** The agent's card, which is fetched when none is known or it is too old. */
  abstract card(options?: CallOptions): Promise<AgentCard>;

  abstract call<Name extends UnaryOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<ResponseOf<Name>>;

  /** One stream as it comes from the transport: it ends where the connection does. */
  abstract open<Name extends StreamingOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
    resumption?: Resumption,
  ): Promise<ReceivedEvents>;

  /** Breaks off what is under way. */
  abstract close(): Promise<void>;
}
