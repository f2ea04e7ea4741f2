import type { EventSourceMessage } from 'eventsource-parser';
import type { ReceivedEvent } from '../client-transport.js';
import type { Exchange } from '../http/exchange.js';
import { SseReader } from '../http/sse-reader.js';

/**
 * The events of one answer, as an iterator of its own: leaving it closes the connection at once, also before the first event and while one
 * is waited for, which a generator would not do.
 */
export class EventStream implements AsyncIterableIterator<ReceivedEvent, undefined> {
  readonly #reader: SseReader;
  #frames: readonly EventSourceMessage[] = [];
  #next = 0;
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

  async next(): Promise<IteratorResult<ReceivedEvent, undefined>> {
    if (this.#over) return DONE;
    try {
      for (;;) {
        const frame = this.#frames[this.#next++];
        if (!frame) {
          const bytes = await this.exchange.next();
          if (this.#over || bytes === undefined) return await this.return();
          this.#frames = this.#reader.feed(bytes);
          this.#next = 0;
        } else if (frame.data !== '') {
          const event = this.read(frame.data);
          return { done: false, value: frame.id === undefined ? { event } : { event, id: frame.id } };
        }
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
    this.exchange.close();
    return Promise.resolve(DONE);
  }

  throw(error: unknown): Promise<never> {
    return this.return().then(() => Promise.reject(error as Error));
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
