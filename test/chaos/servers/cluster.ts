import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.js';
import type { Replica } from './replica.js';

/** All replicas. */
export class Cluster {
  #turn = 0;

  constructor(private readonly replicas: readonly Replica[]) {}

  get webs(): readonly Replica[] {
    return this.replicas.filter(({ role }) => role === 'web');
  }

  get starts(): number {
    return this.replicas.reduce((sum, { starts }) => sum + starts, 0);
  }

  get failedBoots(): number {
    return this.replicas.reduce((sum, { failedBoots }) => sum + failedBoots, 0);
  }

  /** What processes did that they should not have done. */
  get faults(): readonly string[] {
    return this.replicas.flatMap(({ faults }) => faults);
  }

  async open(): Promise<void> {
    for (const replica of this.replicas) replica.open();
    await this.allReady(60_000);
  }

  /** Resolves when every process serves again. */
  async allReady(patienceMs: number): Promise<void> {
    for (let waited = 0; !this.replicas.every(({ ready }) => ready); waited += 50) {
      if (waited > patienceMs) throw new Error('The processes do not come up: see their logs');
      await sleep(50);
    }
  }

  /** The next web that serves, in turn, other than the one just left where there is another. */
  async web(left?: Replica): Promise<Replica> {
    for (;;) {
      const ready = this.webs.filter((web) => web.ready);
      const others = ready.filter((web) => web !== left);
      const candidates = others.length > 0 ? others : ready;
      if (candidates.length > 0) return candidates[this.#turn++ % candidates.length]!;
      await sleep(50);
    }
  }

  /** A random replica that is up, of a role where one is asked for. */
  async victim(random: Random, role?: 'web' | 'worker'): Promise<Replica> {
    for (;;) {
      const ready = this.replicas.filter((replica) => replica.ready && (!role || replica.role === role));
      if (ready.length > 0) return random.pick(ready);
      await sleep(50);
    }
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }
}
