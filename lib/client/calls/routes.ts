import type { ClientTransport } from '../client-transport.js';

/** The ways to an agent, one for each interface that both sides speak; the one that worked last is taken first. */
export class Routes {
  #current = 0;

  /** @param all at least one, the best first. */
  constructor(readonly all: readonly ClientTransport[]) {}

  get current(): ClientTransport {
    return this.all[this.#current]!;
  }

  /** Leaves a way on which the agent could not be reached for the next, after the last for the first. Another call may have left it already. */
  leave(transport: ClientTransport): void {
    if (this.current === transport) this.#current = (this.#current + 1) % this.all.length;
  }
}
