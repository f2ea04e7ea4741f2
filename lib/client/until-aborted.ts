import { onAbort } from './on-abort.js';

/** Waits for a promise no longer than until the signal aborts, and then throws its reason. What is waited for goes on. */
export async function untilAborted<T>(
  promise: PromiseLike<T> | T,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = onAbort(signal, () => reject(signal.reason as Error));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop();
  }
}
