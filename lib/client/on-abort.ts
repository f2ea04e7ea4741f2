import { setMaxListeners } from 'node:events';

/**
 * Has a listener called when the signal aborts.
 * @returns takes it away again.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // Any number of calls may share a signal; Node would take eleven for a leak.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
