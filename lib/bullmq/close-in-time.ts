import { setTimeout as delay } from 'node:timers/promises';

/** How long a queue or a worker may take to close when Redis does not answer, in ms. */
const CLOSE_MS = 2_000;
/** How long its connections may take to be cut then; they are cut in any case. */
const CUT_MS = 500;

interface Closable {
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

/** Closes a queue or a worker as it wants to, and cuts its connections when that takes too long. Never rejects. */
export async function closeInTime(closable: Closable): Promise<void> {
  if (!(await isDone(closable.close(), CLOSE_MS))) await isDone(closable.disconnect(), CUT_MS);
}

/** False when it takes longer. What fails is done, too. */
async function isDone(work: Promise<unknown>, withinMs: number): Promise<boolean> {
  const patience = new AbortController();
  const late = delay(withinMs, false, { signal: patience.signal, ref: false }).catch(() => false);
  const done = work.then(
    () => true,
    () => true,
  );
  const result = await Promise.race([done, late]);
  patience.abort();
  return result;
}
