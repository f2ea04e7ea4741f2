import { defined } from '../../interfaces/defined.js';
import { doublingPause, WITHIN } from '../../interfaces/doubling-pause.js';
import { ResourceExhaustedError, UnavailableError } from '../../protocol/errors.js';
import { isSend, OPERATIONS, type OperationName } from '../../protocol/operations.js';
import { ClientTimeoutError, TransportError, UnexpectedAnswerError } from '../client-errors.js';

/** When a call that failed is repeated. */
export interface RetryOptions {
  /** Tries of one call altogether; 1 never repeats. Default 3. */
  readonly attempts?: number;
  /** Before the first repetition, in ms; doubled for each further one, of which a random half is taken off. Default 250. */
  readonly baseMs?: number;
  /** Longest wait, in ms. A peer that asks for more with `Retry-After` is not asked again. Default 10 000. */
  readonly maxMs?: number;
  /**
   * Whether sends are repeated that the peer may have got already, with the same messageId: only where it recognises a message that it had
   * (for agents of this library: `idempotency`). Default false.
   */
  readonly sends?: boolean;
}

const DEFAULTS: Required<RetryOptions> = { attempts: 3, baseMs: 250, maxMs: 10_000, sends: false };

/** Statuses of gateways that have not heard from the agent. */
const PASSING = new Set([408, 502, 503, 504]);

/** Decides whether a call is repeated, and how long to wait before. */
export class RetryPolicy {
  readonly #options: Required<RetryOptions>;

  constructor(client?: RetryOptions, call?: RetryOptions) {
    this.#options = { ...DEFAULTS, ...defined(client), ...defined(call) };
  }

  /**
   * @param tries how many there were.
   * @returns ms, or undefined when the error is final.
   */
  delayMs(operation: OperationName, error: unknown, tries: number): number | undefined {
    const { attempts, baseMs, maxMs } = this.#options;
    if (tries >= attempts || !this.#mayRepeat(operation, error)) return undefined;
    const asked = retryAfterMs(error);
    if (asked !== undefined && asked > maxMs) return undefined;
    return Math.max(asked ?? 0, doublingPause(tries, baseMs, maxMs, WITHIN));
  }

  /** What never left does no harm twice; a question neither; anything else may have been done already. */
  #mayRepeat(operation: OperationName, error: unknown): boolean {
    if (wasNotReached(error)) return true;
    const harmless = OPERATIONS[operation].http.verbs.some((verb) => verb === 'GET');
    return (harmless || (this.#options.sends && isSend(operation))) && isPassing(error);
  }
}

/** Whether there was no connection, so that the peer cannot have acted. */
export function wasNotReached(error: unknown): boolean {
  if (error instanceof ClientTimeoutError) return error.phase !== 'total' && !error.requestSent;
  return error instanceof TransportError && !error.requestSent;
}

function isPassing(error: unknown): boolean {
  if (error instanceof ClientTimeoutError) return error.phase !== 'total';
  if (error instanceof UnexpectedAnswerError) return PASSING.has(error.status);
  return (
    error instanceof TransportError ||
    error instanceof UnavailableError ||
    error instanceof ResourceExhaustedError
  );
}

function retryAfterMs(error: unknown): number | undefined {
  const telling =
    error instanceof UnavailableError ||
    error instanceof ResourceExhaustedError ||
    error instanceof UnexpectedAnswerError;
  return telling && error.retryAfterSeconds !== undefined ? error.retryAfterSeconds * 1_000 : undefined;
}
