import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  /** Whether it makes sense to try again after this error. */
  readonly mayPass: (error: unknown) => boolean;
  /** No attempt begins later, in ms after the first. */
  readonly forMs: number;
  /** Longest pause before the second attempt, in ms; it doubles each time, up to 32 times. Pauses are random, so that rivals part. */
  readonly pauseMs: number;
}

/** Does something again while it fails in a way that may pass; throws the last error. */
export async function retry<T>(
  work: () => Promise<T>,
  { mayPass, forMs, pauseMs }: RetryOptions,
): Promise<T> {
  const end = Date.now() + forMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() >= end) throw error;
    }
    await sleep(Math.random() * pauseMs * 2 ** Math.min(attempt, 5));
  }
}
