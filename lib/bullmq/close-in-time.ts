import { setTimeout as delay } from 'node:timers/promises';

/** How long a queue or a worker may take to close when Redis does not answer, in ms. */
const PATIENCE_MS = 2_000;

interface Closable {
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

/** Closes a queue or a worker as it wants to, and cuts its connection when that takes too long. */
export async function closeInTime(closable: Closable): Promise<void> {
  const patience = new AbortController();
  const late = delay(PATIENCE_MS, true, { signal: patience.signal, ref: false }).catch(() => false);
  // What fails to close is closed.
  const closed = closable.close().then(
    () => false,
    () => false,
  );
  const cut = await Promise.race([closed, late]);
  patience.abort();
  if (cut) await closable.disconnect().catch(() => {});
}
