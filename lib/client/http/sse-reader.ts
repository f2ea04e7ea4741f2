import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ProtocolViolationError } from '../client-errors.js';

const BYTE_ORDER_MARK = '\uFEFF';

/** Server-Sent Events out of bytes, however these are cut. What is not ended by a blank line is no event. */
export class SseReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser: ReturnType<typeof createParser>;
  #events: EventSourceMessage[] = [];
  #begun = false;
  /** The last text ended with a CR, and its line with it: a LF that follows belongs to it. */
  #skipLineFeed = false;
  #tooLarge = false;

  /** @param maxEventLength most characters of an event. */
  constructor(private readonly maxEventLength: number) {
    this.#parser = createParser({
      maxBufferSize: maxEventLength,
      onEvent: (event) => {
        // The parser limits what it has to keep, which an event that comes in one piece never is.
        if (event.data.length > maxEventLength) this.#tooLarge = true;
        if (!this.#tooLarge) this.#events.push(event);
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#tooLarge = true;
      },
    });
  }

  /** The events that these bytes complete. Throws ProtocolViolationError for one that is larger than the limit, after those before it. */
  feed(bytes: Buffer): readonly EventSourceMessage[] {
    if (!this.#tooLarge) this.#parse(this.#decoder.write(bytes));
    if (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      return events;
    }
    if (!this.#tooLarge) return NONE;
    throw new ProtocolViolationError(`An event is larger than ${this.maxEventLength} characters`);
  }

  /** The parser would wait for what follows a CR, which may come with the next event only, or never. */
  #parse(text: string): void {
    let rest = text;
    if (rest === '') return;
    if (!this.#begun && rest.startsWith(BYTE_ORDER_MARK)) rest = rest.slice(1);
    this.#begun = true;
    if (this.#skipLineFeed && rest.startsWith('\n')) rest = rest.slice(1);
    if (rest === '') {
      this.#skipLineFeed = false;
      return;
    }
    this.#skipLineFeed = rest.endsWith('\r');
    this.#parser.feed(this.#skipLineFeed ? `${rest}\n` : rest);
  }
}

const NONE: readonly EventSourceMessage[] = [];
