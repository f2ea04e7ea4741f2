import type { Task } from '../../protocol/model.js';
import type { AgentConnection, Resumption } from '../agent-connection.js';
import type { CallOptions } from '../client-options.js';
import type { ExchangeTimeouts, ReceivedEvent, ReceivedEvents } from '../client-transport.js';
import { isUnsupported } from './passing-errors.js';
import type { StreamStart } from './stream-options.js';

/** The events of one exchange. */
export interface StreamExchange {
  readonly events: ReceivedEvents;
  /** Which of its Tasks tell the story so far, instead of what comes next in it. */
  readonly snapshots: 'none' | 'first' | 'all';
  /** Whether it goes on right after the event that was seen last, so that it need not begin with a Task. */
  readonly exact: boolean;
}

/** Opens the exchanges of one stream: its first, and those that go on with it. */
export class StreamExchanges {
  readonly #begun = performance.now();
  #count = 0;
  #subscribable = true;

  /** @param options with the limit of the whole stream as `timeouts.totalMs`, and with `retry` as for the first exchange. */
  constructor(
    private readonly connection: AgentConnection,
    private readonly start: StreamStart,
    private readonly options: CallOptions,
  ) {}

  /** Throws what the peer answers. */
  first(): Promise<StreamExchange> {
    if (this.start.send) return this.send();
    const { subscribe, lastEventId, orPoll } = this.start;
    return orPoll ? this.goOn(subscribe.id, lastEventId) : this.#subscribe(subscribe.id, lastEventId);
  }

  /** Whether the send that the stream began with may be sent again, although the peer may have got it. */
  get mayResend(): boolean {
    return this.start.send !== undefined && this.options.retry?.sends === true;
  }

  /** What is left of the time for the whole stream, in ms; 0 when it is up. */
  get leftMs(): number {
    const { totalMs = 0 } = this.options.timeouts ?? {};
    return totalMs > 0 ? Math.max(0, totalMs - (performance.now() - this.#begun)) : Infinity;
  }

  /** The send that the stream began with, as it was. */
  async send(): Promise<StreamExchange> {
    const request = this.start.send!;
    const events = await this.connection.open('SendStreamingMessage', request, this.#call(), this.#next());
    return { events, snapshots: 'none', exact: true };
  }

  /** Goes on after the event with that id, or from the Task as it is now; looks at the Task again and again where it cannot be subscribed to. */
  async goOn(taskId: string, lastEventId?: string): Promise<StreamExchange> {
    if (this.#subscribable) {
      try {
        return await this.#subscribe(taskId, lastEventId);
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        this.neverSubscribe();
      }
    }
    return { events: this.#poll(taskId), snapshots: 'all', exact: false };
  }

  /** The task has ended, or the peer does not do what SubscribeToTask says. */
  neverSubscribe(): void {
    this.#subscribable = false;
  }

  async #subscribe(id: string, lastEventId?: string): Promise<StreamExchange> {
    const request = { id, ...this.#tenant() };
    const events = await this.connection.open(
      'SubscribeToTask',
      request,
      this.#call(),
      this.#next(lastEventId),
    );
    return { events, snapshots: 'first', exact: lastEventId !== undefined };
  }

  /** Paused by whoever reads. */
  async *#poll(id: string): AsyncGenerator<ReceivedEvent, undefined, void> {
    const historyLength = this.start.send?.configuration?.historyLength;
    const request = { id, ...this.#tenant(), ...(historyLength !== undefined && { historyLength }) };
    for (;;) {
      const task: Task = await this.connection.call('GetTask', request, this.#call());
      yield { event: { task } };
    }
  }

  #tenant(): { tenant?: string } {
    const { tenant } = this.start.send ?? this.start.subscribe;
    return tenant === undefined ? {} : { tenant };
  }

  #next(lastEventId?: string): Resumption {
    this.#count += 1;
    return { attempt: this.#count, ...(lastEventId !== undefined && { lastEventId }) };
  }

  /** Whoever goes on with the stream repeats what fails. */
  #call(): CallOptions {
    const { timeouts, retry } = this.options;
    const call = this.#count === 0 ? this.options : { ...this.options, retry: { ...retry, attempts: 1 } };
    if (!timeouts?.totalMs) return call;
    const limits: Partial<ExchangeTimeouts> = { ...timeouts, leftMs: Math.max(1, this.leftMs) };
    return { ...call, timeouts: limits };
  }
}
