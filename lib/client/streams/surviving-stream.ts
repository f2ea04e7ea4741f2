import { A2AError } from '../../protocol/errors.js';
import type { StreamResponse } from '../../protocol/model.js';
import { isInterrupted } from '../../protocol/task-state.js';
import { ClientTimeoutError } from '../client-errors.js';
import type { ReceivedEvent, ReceivedEvents } from '../client-transport.js';
import { Backoff } from './backoff.js';
import { isOutOfTime, isPassing, retryAfterMs } from './passing-errors.js';
import type { ResumeOptions } from './resume-options.js';
import type { SeenTask } from './seen-task.js';
import type { StreamExchange, StreamExchanges } from './stream-exchanges.js';
import { StreamInterruptedError } from './stream-interrupted-error.js';

/** The first pause between two looks at a task. */
const FIRST_POLL_MS = 250;
/** How long a peer may take to end a stream that is over; then its connection can be used again. */
const LINGER_MS = 1_000;

/** How an exchange ended: by itself, or by an error. */
interface Ending {
  readonly error?: unknown;
}

/**
 * The events of one task over as many connections as it takes. One that ends before the story does is followed by SubscribeToTask with
 * `Last-Event-ID`, where the peer numbers its events; else by SubscribeToTask, whose opening Task is told as the difference to what was seen;
 * else, where there is no subscribing, by looking at the task again and again.
 */
export class SurvivingStream {
  readonly #attempts: Backoff | undefined;
  /** The exchange that is read, once its opening is told. */
  #current: ReceivedEvents | undefined;
  #lastEventId: string | undefined;
  #told = 0;

  /**
   * @param resume undefined: the first connection is the only one.
   * @param leaving ends whatever is under way.
   */
  constructor(
    private readonly exchanges: StreamExchanges,
    private readonly seen: SeenTask,
    private readonly resume: ResumeOptions | undefined,
    private readonly leaving: AbortController,
  ) {
    this.#attempts = resume && new Backoff(resume.initialDelayMs, resume.maxDelayMs);
  }

  /** The next event, where it is here already; else events() has it, or what happened to it. Saves the layers of generators for most events. */
  take(): StreamResponse | undefined {
    while (this.#current?.take && !this.seen.ended) {
      const item = this.#current.take();
      if (!item) return undefined;
      const news = this.#news(item);
      if (news) return news;
    }
    return undefined;
  }

  async *events(): AsyncGenerator<StreamResponse, undefined, void> {
    let exchange = await this.exchanges.first();
    for (;;) {
      const since = performance.now();
      const ending = yield* exchange.snapshots === 'all' ? this.#poll(exchange) : this.#read(exchange);
      if (this.seen.ended) return undefined;
      this.leaving.signal.throwIfAborted();
      if (this.#isPause(ending)) return undefined;
      this.#check(ending, since);
      exchange = await this.#reconnect(ending.error);
    }
  }

  async *#read({ events, snapshots, exact }: StreamExchange): AsyncGenerator<StreamResponse, Ending, void> {
    this.seen.reconnect();
    let opening = snapshots === 'first';
    try {
      while (!this.seen.ended) {
        if (this.leaving.signal.aborted) return {};
        const { item, error } = await next(events);
        if (!item) return { error };
        if (opening && !exact && this.seen.begun && !item.event.task) {
          // Against §3.1.6: what was missed cannot be known.
          this.exchanges.neverSubscribe();
          return {};
        }
        for (const each of this.#see(item, opening)) yield each;
        // A stream that was there would have ended at the pause that this one tells of; this one stays open for what follows.
        if (opening && this.seen.paused) return {};
        opening = false;
        this.#current = events;
      }
      await this.#linger(events);
      return {};
    } finally {
      this.#current = undefined;
      await events.return?.();
    }
  }

  /** The task as it is, again and again, told as what is new in it. */
  async *#poll({ events }: StreamExchange): AsyncGenerator<StreamResponse, Ending, void> {
    const pauses = new Backoff(FIRST_POLL_MS, this.resume?.maxPollMs ?? FIRST_POLL_MS);
    for (;;) {
      const { item, error } = await next(events);
      if (!item) return { error };
      this.#attempts?.reset();
      const before = this.#told;
      for (const each of this.#see(item, true)) yield each;
      if (this.seen.ended || this.seen.paused) return {};
      if (this.#told > before) pauses.reset();
      await this.#pause(pauses);
    }
  }

  /** What the caller is told of an event. */
  #see(item: ReceivedEvent, isSnapshot: boolean): readonly StreamResponse[] {
    const { task } = item.event;
    if (!isSnapshot || !task) {
      const news = this.#news(item);
      return news ? [news] : [];
    }
    const news = this.seen.unseen(task);
    for (const each of news) this.#tell(each);
    this.#lastEventId = item.id;
    return news;
  }

  /** The same for one that is no snapshot. */
  #news({ event, id }: ReceivedEvent): StreamResponse | undefined {
    const news = this.seen.news(event);
    if (news) this.#tell(news);
    // Where the last event has no number there is none to go on from.
    this.#lastEventId = id;
    return news;
  }

  #tell(event: StreamResponse): void {
    this.seen.add(event);
    this.#told += 1;
    this.#attempts?.reset();
  }

  /** Whether the agent waits for somebody, so that the stream was complete. It may also go on after AUTH_REQUIRED (§7.6.1). */
  #isPause({ error }: Ending): boolean {
    const { paused, state } = this.seen;
    return paused || (error === undefined && state !== undefined && isInterrupted(state));
  }

  /** Throws unless the stream may go on. */
  #check({ error }: Ending, since: number): void {
    if (error !== undefined && !isPassing(error)) throw error;
    const tellsMore = this.seen.begun && this.resume !== undefined;
    if (error instanceof A2AError && !tellsMore) throw error;
    if (!this.#attempts) throw this.#interrupted('it is not to be resumed', error);
    const stood = performance.now() - since > this.resume!.maxDelayMs;
    if (stood && !(error instanceof ClientTimeoutError)) this.#attempts.reset();
  }

  async #reconnect(reason: unknown): Promise<StreamExchange> {
    const { maxAttempts } = this.resume!;
    const attempts = this.#attempts!;
    let error = reason;
    for (;;) {
      const { taskId } = this.seen;
      if (taskId === undefined && !this.exchanges.mayResend) {
        throw this.#interrupted('the agent may work on the message already, so it is not sent again', error);
      }
      if (attempts.count >= maxAttempts) {
        throw this.#interrupted(`${maxAttempts} attempts to go on brought nothing new`, error);
      }
      await this.#pause(attempts, error);
      try {
        return taskId === undefined
          ? await this.exchanges.send()
          : await this.exchanges.goOn(taskId, this.#lastEventId);
      } catch (failure) {
        this.leaving.signal.throwIfAborted();
        if (isOutOfTime(failure)) throw failure;
        if (!isPassing(failure)) throw this.#interrupted('going on with it failed', failure);
        error = failure;
      }
    }
  }

  /** Throws when the time for the whole stream is up. */
  async #pause(pauses: Backoff, error?: unknown): Promise<void> {
    await pauses.wait(this.leaving.signal, retryAfterMs(error), this.exchanges.leftMs);
    if (this.exchanges.leftMs === 0) throw this.#interrupted('the time for the whole of it is up', error);
  }

  #interrupted(what: string, cause: unknown): StreamInterruptedError {
    const { taskId, state } = this.seen;
    const options = cause === undefined ? {} : { cause };
    return new StreamInterruptedError(
      { taskId, lastState: state, lastEventId: this.#lastEventId },
      what,
      options,
    );
  }

  async #linger(events: AsyncIterator<ReceivedEvent>): Promise<void> {
    const timer = setTimeout(() => this.leaving.abort(), LINGER_MS);
    while ((await next(events)).item);
    clearTimeout(timer);
  }
}

/** The next event; neither event nor error at the end. */
async function next(events: AsyncIterator<ReceivedEvent>): Promise<{ item?: ReceivedEvent } & Ending> {
  try {
    const result = await events.next();
    return result.done ? {} : { item: result.value };
  } catch (error) {
    return { error };
  }
}
