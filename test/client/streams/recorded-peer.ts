import {
  isTerminal,
  UnsupportedOperationError,
  type AgentCard,
  type StreamResponse,
  type Task,
} from 'nest-a2a';
import { AgentConnection, TransportError, type ReceivedEvent, type Resumption } from 'nest-a2a/client';
import { TaskProjection } from '../../../lib/protocol/task-projection.js';

/** How a peer lets a stream be gone on with. */
export type Way = 'numbers its events' | 'opens with a snapshot' | 'lets nobody subscribe';

/** What happens to a connection. */
export interface Fate {
  /** Events that come through before it ends. */
  readonly events: number;
  /** Whether it ends by an error. */
  readonly breaks: boolean;
  /** Events of the story that happen before the next connection. */
  readonly missed: number;
  /** By how many events the snapshot of the next connection is older than what was delivered. */
  readonly lag?: number;
}

/** Tells a recorded story as an agent does that works on while nobody listens. */
export class RecordedPeer extends AgentConnection {
  readonly calls: string[] = [];
  readonly #fates: Fate[];
  /** Events of the story that have happened. */
  #now = 0;
  #lag = 0;

  /** @param fates of its connections, in their order; those after the last are left alone. */
  constructor(
    private readonly story: readonly StreamResponse[],
    private readonly way: Way,
    fates: readonly Fate[],
  ) {
    super();
    this.#fates = [...fates];
  }

  override async card(): Promise<AgentCard> {
    throw new Error('Nobody needs the card');
  }

  override async call(operation: string): Promise<any> {
    this.calls.push(operation);
    if (operation !== 'GetTask') throw new Error(`Unexpected: ${operation}`);
    const fate = this.#fates[0];
    const task = this.#snapshot(this.#now);
    if (fate) this.#end();
    else this.#now = Math.min(this.story.length, this.#now + 2);
    if (fate?.breaks) throw new TransportError('Gone', true);
    return task;
  }

  override async open(
    operation: string,
    _request: unknown,
    _options?: unknown,
    resumption?: Resumption,
  ): Promise<AsyncIterableIterator<ReceivedEvent>> {
    this.calls.push(operation);
    if (operation === 'SendStreamingMessage') return this.#tell(0);
    if (this.way === 'lets nobody subscribe') throw new UnsupportedOperationError();
    const { lastEventId } = resumption ?? {};
    if (this.way === 'numbers its events' && lastEventId !== undefined)
      return this.#tell(Number(lastEventId));
    if (this.#now === this.story.length && this.#hasEnded) throw new UnsupportedOperationError();
    const at = Math.max(1, this.#now - this.#lag);
    return this.#tell(at, { task: this.#snapshot(at) });
  }

  override async close(): Promise<void> {}

  async *#tell(from: number, opening?: StreamResponse): AsyncGenerator<ReceivedEvent, undefined> {
    const fate = this.#fates[0];
    const numbered = this.way === 'numbers its events';
    const limit = fate?.events ?? Infinity;
    let told = 0;
    if (opening && told++ < limit) yield { event: opening };
    for (let at = from; at < this.story.length && told < limit; at++, told++) {
      this.#now = Math.max(this.#now, at + 1);
      yield { event: structuredClone(this.story[at]!), ...(numbered && { id: String(at + 1) }) };
    }
    if (opening && !fate && !this.#hasEnded && from === this.story.length) await new Promise(() => undefined);
    if (fate) this.#end();
    if (fate?.breaks) throw new TransportError('Gone', true);
    return undefined;
  }

  /** A task that waits for input can be subscribed to, for what follows. */
  get #hasEnded(): boolean {
    return isTerminal(this.story.at(-1)!.statusUpdate!.status.state);
  }

  #end(): void {
    const { missed, lag = 0 } = this.#fates.shift()!;
    this.#now = Math.min(this.story.length, this.#now + missed);
    this.#lag = missed > 0 ? 0 : lag;
  }

  #snapshot(at: number): Task {
    return structuredClone(fold(this.story.slice(0, at)));
  }
}

/** The task that events tell of. */
export function fold(events: readonly StreamResponse[]): Task {
  const projection = new TaskProjection();
  for (const event of events) projection.apply(event);
  return projection.snapshot();
}
