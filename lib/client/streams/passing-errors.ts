import { A2AError, ResourceExhaustedError, UnavailableError } from '../../protocol/errors.js';
import type { ErrorReason } from '../../protocol/error-table.js';
import { ClientTimeoutError, TransportError, UnexpectedAnswerError } from '../client-errors.js';

const PASSING_REASONS: ReadonlySet<ErrorReason> = new Set<ErrorReason>([
  'INTERNAL',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
]);

/**
 * What answers that the peer, or that which stands before it, does not know SubscribeToTask, or not for this task. The Python SDK's server finds
 * the parameters at fault where a task has ended.
 */
const UNSUPPORTED_REASONS: ReadonlySet<ErrorReason> = new Set<ErrorReason>([
  'INVALID_PARAMS',
  'METHOD_NOT_ALLOWED',
  'METHOD_NOT_FOUND',
  'ROUTE_NOT_FOUND',
  'UNSUPPORTED_OPERATION',
]);

/** Whether the next attempt may find it better: the network, a peer that starts anew, a gateway without a peer. */
export function isPassing(error: unknown): boolean {
  if (error instanceof A2AError) return PASSING_REASONS.has(error.reason);
  if (error instanceof UnexpectedAnswerError) return error.status >= 500 || error.status === 429;
  if (error instanceof ClientTimeoutError) return !isOutOfTime(error);
  return error instanceof TransportError;
}

/** Whether the time for the whole call is up. */
export function isOutOfTime(error: unknown): boolean {
  return error instanceof ClientTimeoutError && error.phase === 'total';
}

/** Whether a task cannot be subscribed to: it has ended, or the peer does not stream. */
export function isUnsupported(error: unknown): boolean {
  if (error instanceof A2AError) return UNSUPPORTED_REASONS.has(error.reason);
  return error instanceof UnexpectedAnswerError && (error.status === 405 || error.status === 501);
}

/** Longest time that a peer can make its clients wait. */
const LONGEST_RETRY_AFTER_S = 60;

/** How long the peer asks to be left alone, in ms. */
export function retryAfterMs(error: unknown): number {
  const tells =
    error instanceof UnavailableError ||
    error instanceof ResourceExhaustedError ||
    error instanceof UnexpectedAnswerError;
  return tells ? Math.min(error.retryAfterSeconds ?? 0, LONGEST_RETRY_AFTER_S) * 1_000 : 0;
}
