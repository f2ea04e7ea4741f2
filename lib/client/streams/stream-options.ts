import type { SendMessageRequest, SubscribeToTaskRequest } from '../../protocol/model.js';
import type { CallOptions } from '../client-options.js';
import type { ResumeOptions } from './resume-options.js';

/** What a call that streams may say for itself. `timeouts.totalMs` counts from its first exchange, resumptions included. */
export interface StreamOptions extends CallOptions {
  /** How the stream goes on where its connection ends too early; false: not at all. Instead of the client's, one by one. */
  readonly resume?: boolean | Partial<ResumeOptions>;
}

/** What a subscription may say for itself. */
export interface SubscribeOptions extends StreamOptions {
  /** Goes on right after this event, where the peer numbers its events (see StreamInterruptedError). */
  readonly lastEventId?: string;
}

/** How a stream begins. */
export type StreamStart =
  | { readonly send: SendMessageRequest; readonly subscribe?: never }
  | {
      readonly subscribe: SubscribeToTaskRequest;
      readonly send?: never;
      readonly lastEventId?: string | undefined;
      /** Whether a task that cannot be subscribed to is looked at again and again instead. */
      readonly orPoll?: boolean;
    };
