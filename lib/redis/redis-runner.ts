import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import type { LuaScript } from './lua-script.js';

/** Pause before a call is repeated whose connection was lost, in ms. */
const PAUSE_MS = 50;

/** What ioredis and servers say while they cannot do the work yet, or any more. */
const LATER =
  /^(?:Connection is closed|Command aborted|Stream isn't writeable|Cluster isn't ready|Too many Cluster redirections|Failed to refresh slots|LOADING|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|READONLY)/;

/**
 * Sends commands, each within a limit of time. A command whose connection was lost may have been carried out; it is sent again, by ioredis or here,
 * so only what may be repeated is sent this way.
 */
export class RedisRunner {
  #closed = false;

  /** @param onLate called when a command was not answered within its limit. */
  constructor(
    readonly client: Redis | Cluster,
    private readonly timeoutMs: number,
    private readonly onLate: () => void = () => {},
  ) {}

  /** Sends nothing any more. */
  close(): void {
    this.#closed = true;
  }

  /** Runs a script by its digest, and by its source where Redis does not know it yet. */
  run(script: LuaScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.send(async (client) => {
      try {
        return await client.evalsha(script.sha, keys.length, ...keys, ...args);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.eval(script.source, keys.length, ...keys, ...args);
      }
    });
  }

  /** Rejects when Redis refuses, or has not answered within the limit. */
  async send<T>(
    command: (client: Redis | Cluster) => Promise<T>,
    timeoutMs: number = this.timeoutMs,
  ): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    const tooLate = new Error(`Redis did not answer within ${timeoutMs} ms`);
    for (;;) {
      if (this.#closed) throw new Error('The connection to Redis was closed');
      try {
        return await within(command(this.client), deadline - performance.now(), tooLate);
      } catch (error) {
        if (error === tooLate) this.onLate();
        const again = isTemporary(error) && this.client.status !== 'end';
        if (!again || performance.now() + PAUSE_MS >= deadline) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof Error && (error.name === 'MaxRetriesPerRequestError' || LATER.test(error.message));
}

/** Rejects with the error when the answer takes longer. */
export function within<T>(answer: Promise<T>, ms: number, tooLate: Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate), Math.max(0, ms));
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
