/**
 * The same promise, which brings no process down when nobody waits for it. Executors often do not wait for what they emit,
 * and a task may end before any of it; whoever waits still gets the error.
 */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
