import { setTimeout as sleep } from 'node:timers/promises';
import { TokenRequestError } from './token-request-error.js';
import type { TokenSet } from './token-set.js';

/** What the authorization server says of polling (RFC 8628 §3.2). */
export interface Polling {
  /** In seconds. */
  readonly interval?: number | undefined;
  /** In seconds. */
  readonly expiresIn: number;
}

type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

const DEFAULT_INTERVAL = 5;
const SLOWER_BY = 5;
/** Longest pause; longer ones than timers know would be none. */
const MAX_PAUSE_MS = 300_000;

/**
 * Asks for the tokens until the user has decided, as often as the server likes it: less often when it says so or cannot be reached (§3.5).
 *
 * @throws TokenRequestError when the user refused, or the code has expired; the signal's reason.
 */
export async function pollForTokens(
  request: () => Promise<TokenSet>,
  { interval = DEFAULT_INTERVAL, expiresIn }: Polling,
  signal: AbortSignal,
  pause: Pause = pauseFor,
): Promise<TokenSet> {
  const deadline = Date.now() + expiresIn * 1_000;
  for (let seconds = interval; ;) {
    await pause(Math.min(seconds * 1_000, MAX_PAUSE_MS), signal);
    if (Date.now() >= deadline)
      throw new TokenRequestError('The code has expired', { code: 'expired_token' });
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      if (error.code === 'slow_down') seconds += SLOWER_BY;
      else if (error.code === undefined && isPassing(error)) seconds *= 2;
      else if (error.code !== 'authorization_pending') throw error;
    }
  }
}

/** No answer, or that of a server in trouble. */
function isPassing({ status, cause }: TokenRequestError): boolean {
  return status === undefined ? cause !== undefined : status >= 500;
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
