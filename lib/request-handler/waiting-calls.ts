import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { TaskRunner } from '../interfaces/task-runner.js';

/**
 * Calls that wait for the outcome of a message. At shutdown the runs of this process have ended; those of other processes go on, and whoever
 * still waits for them after the drain time is answered with the task as it is.
 */
@Injectable()
export class WaitingCalls implements BeforeApplicationShutdown {
  readonly #calls = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(
    private readonly runner: TaskRunner,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {
    setMaxListeners(0, this.#closing.signal);
  }

  /** Lets a call wait. Its signal is aborted when the server cannot wait any longer. */
  add<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const call = wait(this.#closing.signal);
    const forget = (): void => void this.#calls.delete(call);
    this.#calls.add(call);
    call.then(forget, forget);
    return call;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runner.drain();
    const patience = new AbortController();
    const { drainMs } = this.options.execution;
    const late = delay(drainMs, undefined, { signal: patience.signal, ref: false }).catch(() => {});
    await Promise.race([Promise.allSettled(this.#calls), late]);
    patience.abort();
    this.#closing.abort();
    await Promise.allSettled(this.#calls);
  }
}
