import { setTimeout as sleep } from 'node:timers/promises';

/** What goes wrong with a port: how long its calls take, and which of them fail. */
export interface Faults {
  /** Milliseconds before and after the call of a method; default none. */
  readonly latency?: (method: string) => number;
  /** An error thrown in place of the call. */
  readonly fail?: (method: string) => Error | undefined;
  /** An error thrown in place of the answer: the call itself was carried out. */
  readonly loseAnswer?: (method: string) => Error | undefined;
}

/** The same port over a bad line: each asynchronous call is delayed on its way there and back, or fails. */
export function withFaults<T extends object>(port: T, { latency = () => 0, fail, loseAnswer }: Faults): T {
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      const method = String(key);
      // A watch is not a call over the line: its promise is about the moment in which it is made.
      if (method === 'watch') return member.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        await pause(latency(method));
        const error = fail?.(method);
        if (error) throw error;
        const result: unknown = await member.apply(target, args);
        const lost = loseAnswer?.(method);
        if (lost) throw lost;
        await pause(latency(method));
        return result;
      };
    },
  });
}

async function pause(ms: number): Promise<void> {
  // A call that nobody waits for any more is not what keeps a process alive.
  if (ms > 0) await sleep(ms, undefined, { ref: false });
}

/** A sequence of numbers from 0 to `below` that looks random and is the same in each run. */
export function pseudoRandom(seed: number, below: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}
