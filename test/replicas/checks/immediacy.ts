import { expect, it } from 'vitest';
import type { Replicas } from '../support/replicas.js';

/** How soon who will not wait is answered. */
export function immediacyAcross(replicas: () => Replicas): void {
  it('C23 50 busy agents do not keep a caller who will not wait, and the task can be read at once', async () => {
    const { onA, onB } = replicas();
    const [a, b] = [onA('hasty'), onB('hasty')];
    const busy = await Promise.all(Array.from({ length: 50 }, () => a.start('slow:600')));
    const sends: number[] = [];
    const bare: number[] = [];
    for (let i = 0; i < 100; i++) {
      const { id } = await timed(sends, () => a.start('hold:1'));
      expect((await b.get(id)).id).toBe(id);
      await timed(bare, async () => (await fetch(`${replicas().a.base}/ready`)).text());
    }
    await Promise.all(busy.map(({ id }) => b.ok('CancelTask', { id })));
    // Where the machine is busy with other things, too, a request that does nothing shows how much.
    console.log(`C23 p99: ${p99(sends).toFixed(0)} ms, of a bare request ${p99(bare).toFixed(0)} ms`);
    expect(p99(sends)).toBeLessThan(Math.max(100, 5 * p99(bare)));
  }, 120_000);
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  times.push(performance.now() - began);
  return result;
}

function p99(times: readonly number[]): number {
  return times.toSorted((x, y) => x - y)[Math.floor(times.length * 0.99) - 1]!;
}
