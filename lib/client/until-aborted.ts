/** Waits for a promise no longer than until the signal aborts, and then throws its reason. What is waited for goes on. */
export async function untilAborted<T>(
  promise: PromiseLike<T> | T,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
