import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_PAUSE = 50;

/** Does something again while it fails in a way that may pass, until a time (ms) is over; then throws its last error. */
export async function retry<T>(
  work: () => Promise<T>,
  mayPass: (error: unknown) => boolean,
  forMs: number,
): Promise<T> {
  const end = Date.now() + forMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() >= end) throw error;
    }
    await sleep(Math.random() * Math.min(LONGEST_PAUSE, 2 ** attempt));
  }
}
