import type { EventSourceMessage } from 'eventsource-parser';
import type { ReceivedEvent, ReceivedEvents } from '../client-transport.js';
import type { Exchange } from '../http/exchange.js';
import { SseReader } from '../http/sse-reader.js';

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The events of one answer, as an iterator of its own: leaving it closes the connection at once, also before the first event and while one
 * is waited for, which a generator would not do. Each event is read when it is asked for, so that what is wrong with it comes after those before it.
 */
export class EventStream implements ReceivedEvents {
  readonly #reader: SseReader;
  #frames: readonly EventSourceMessage[] = [];
  #next = 0;
  /** Whoever reads at the same time waits for the same bytes. */
  #filling: Promise<void> | undefined;
  #over = false;

  /** @param read makes an event of its data, or throws what it reports. */
  constructor(
    private readonly exchange: Exchange,
    maxEventLength: number,
    private readonly read: (data: string) => ReceivedEvent['event'],
  ) {
    this.#reader = new SseReader(maxEventLength);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  take(): ReceivedEvent | undefined {
    try {
      return this.#shift();
    } catch {
      return undefined;
    }
  }

  async next(): Promise<IteratorResult<ReceivedEvent, undefined>> {
    try {
      for (;;) {
        const value = this.#shift();
        if (value) return { done: false, value };
        if (this.#over) return DONE;
        await (this.#filling ??= this.#fill());
      }
    } catch (error) {
      const left = this.#over;
      await this.return();
      if (left) return DONE;
      throw error;
    }
  }

  return(): Promise<IteratorResult<ReceivedEvent, undefined>> {
    this.#over = true;
    this.#frames = [];
    this.exchange.close();
    return Promise.resolve(DONE);
  }

  throw(error: unknown): Promise<never> {
    return this.return().then(() => Promise.reject(error as Error));
  }

  /** The next of the frames that are here. One that cannot be read stays the next. */
  #shift(): ReceivedEvent | undefined {
    for (; this.#next < this.#frames.length; this.#next++) {
      const { data, id } = this.#frames[this.#next]!;
      if (data === '') continue;
      const event = this.read(data);
      this.#next += 1;
      return id === undefined ? { event } : { event, id };
    }
    return undefined;
  }

  async #fill(): Promise<void> {
    const bytes = await this.exchange.next();
    this.#filling = undefined;
    if (this.#over) return;
    if (bytes === undefined) return void this.return();
    this.#next = 0;
    this.#frames = this.#reader.feed(bytes);
  }
}
