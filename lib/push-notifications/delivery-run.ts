import { setTimeout as delay } from 'node:timers/promises';
import { AROUND, doublingPause } from '../interfaces/doubling-pause.js';
import type { ResolvedPushOptions } from '../interfaces/push-options.js';
import type { Delivery, DeliveryState } from '../interfaces/push-delivery.js';
import type { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import type { QueueManager } from '../interfaces/queue-manager.js';
import type { TaskReader } from '../interfaces/task-reader.js';
import { backoff } from './backoff.js';
import type { Poster } from './poster.js';
import { Story, type Notification } from './story.js';
import type { Turns } from './turns.js';
import type { Verdict } from './verdict.js';
import { WakeUp } from './wake-up.js';

/** Refusals in a row after which a webhook is given up. */
const MAX_REFUSALS = 3;
/** How often to look for a task that is not there yet, in ms: nobody tells of the logs that are made. */
const MISSING_MS = 2_000;
/** Pauses after store or log could not be reached, in ms. */
const FIRST_TROUBLE_MS = 500;
const LONGEST_TROUBLE_MS = 30_000;

/** What deliveries of one process share. */
export interface DeliveryServices {
  readonly store: PushNotificationConfigStore;
  readonly queue: QueueManager;
  readonly reader: TaskReader;
  readonly turns: Turns;
  readonly poster: Poster;
  readonly options: ResolvedPushOptions;
  /** Store or log could not be reached; the delivery goes on by itself. */
  readonly onTrouble: (error: unknown) => void;
}

/** `again`: look at once; `idle`: when the log changes; `over`: never. */
export type Step = 'again' | 'idle' | 'over' | { readonly pauseMs: number };

/**
 * Tells one webhook the story of its task, one notification after the other, for as long as this process holds the delivery. While it waits it
 * keeps nothing but its place in the log.
 */
export class DeliveryRun {
  readonly #story: Story;
  readonly #wakeUp = new WakeUp();
  #state: DeliveryState;
  /** Whether the store is to be asked or told before this waits: progress was not noted, or the config may be gone. */
  #unsaved = false;
  /** Breaks off the attempt or the pause that is under way. Made when there is one. */
  #attempt: AbortController | undefined;
  #pausing: AbortController | undefined;
  /** Nothing is waited for any more; nothing is begun; what is under way is broken off. */
  #finishing = false;
  #stopped = false;
  #broken = false;
  #refusals = 0;
  #troubles = 0;
  #missingSince: number | undefined;
  #unwatch: (() => void) | undefined;

  constructor(
    private readonly delivery: Delivery,
    /** Whose turns it takes. */
    private readonly place: string,
    private readonly services: DeliveryServices,
  ) {
    const { cursor, pending, failures, status, config } = delivery;
    this.#state = { cursor, pending, failures, status };
    const { queue, reader, options } = services;
    this.#story = new Story(config.taskId, queue, reader, options.artifactUpdates);
  }

  /** The first step, for which the caller has the turn. Never rejects. */
  begin(): Promise<Step> {
    return this.#tryStep(() => this.#step());
  }

  /** Goes on from the first step. Resolves when the delivery is done, given up, another's, or stopped. Never rejects. */
  async work(first: Step): Promise<void> {
    try {
      let step = first;
      while (step !== 'over') {
        if (step !== 'again' && this.#finishing) break;
        if (step === 'idle') await this.#idle();
        else if (step !== 'again') await this.#pause(step.pauseMs);
        // What failed is for others to try again; whoever was idle looks once more.
        if (this.#finishing && typeof step === 'object') break;
        step = await this.#tryStep(() => this.services.turns.take(this.place, () => this.#step()));
      }
      if (this.#unsaved) await this.#save().catch(this.services.onTrouble);
    } finally {
      this.#unwatch?.();
    }
  }

  /** The config was changed or deleted, or its task begun. */
  wake(): void {
    this.#unsaved = true;
    this.#wakeUp.call();
  }

  /** Tells what there is to tell, and then stops instead of waiting. */
  finish(): void {
    this.#finishing = true;
    this.#pausing?.abort();
    this.#wakeUp.call();
  }

  /** Begins nothing more. */
  stop(): void {
    this.#stopped = true;
    this.finish();
  }

  /** Breaks off what is under way as well. */
  abort(): void {
    this.stop();
    this.#broken = true;
    this.#attempt?.abort();
  }

  async #tryStep(take: () => Promise<Step>): Promise<Step> {
    try {
      const step = await take();
      this.#troubles = 0;
      return step;
    } catch (error) {
      if (this.#broken) return 'over';
      this.services.onTrouble(error);
      this.#troubles += 1;
      return { pauseMs: doublingPause(this.#troubles, FIRST_TROUBLE_MS, LONGEST_TROUBLE_MS, AROUND) };
    }
  }

  async #step(): Promise<Step> {
    if (this.#stopped) return 'over';
    const chapter = await this.#story.next(this.#state);
    if (chapter.kind !== 'missing') this.#missingSince = undefined;
    switch (chapter.kind) {
      case 'notification':
        return this.#send(chapter);
      case 'waiting':
        return this.#wait();
      case 'missing':
        return this.#miss();
      case 'told':
        this.#state = { ...this.#state, status: 'done' };
        await this.#save();
        return 'over';
      case 'untold':
        await this.services.store.deleteAll(this.delivery.config.taskId);
        return 'over';
    }
  }

  async #send(notification: Notification): Promise<Step> {
    const { store, poster } = this.services;
    const { config } = this.delivery;
    const { failures } = this.#state;
    this.#state = { ...this.#state, pending: notification.sequence };
    // Also to learn that the config was changed or deleted, or that another sends: then nothing may go out any more.
    if (!(await store.note(this.delivery, this.#state))) return 'over';
    this.#unsaved = false;
    const trace = await this.#story.traceOf(notification);
    if (this.#broken) return 'over';
    this.#attempt = new AbortController();
    const verdict = await poster.post(config, notification, this.#attempt.signal, trace);
    const attempts = failures + 1;
    if (verdict.kind !== 'delivered') return this.#fail(notification, verdict, attempts);
    poster.record(config, notification, { kind: 'delivered', attempts, status: verdict.status });
    this.#refusals = 0;
    const { sequence, last, more } = notification;
    this.#state = { cursor: sequence, failures: 0, status: last ? 'done' : 'open' };
    this.#unsaved = true;
    // The next one notes it along with itself.
    if (!more && !(await this.#save())) return 'over';
    return last ? 'over' : 'again';
  }

  async #fail(
    notification: Notification,
    { kind, reason, status, retryAfterMs }: Exclude<Verdict, { kind: 'delivered' }>,
    attempts: number,
  ): Promise<Step> {
    const { poster, options } = this.services;
    this.#refusals = kind === 'failure' ? 0 : this.#refusals + 1;
    const givesUp = kind === 'stop' || this.#refusals >= MAX_REFUSALS || attempts >= options.maxAttempts;
    this.#state = { ...this.#state, failures: attempts, status: givesUp ? 'unhealthy' : 'open' };
    this.#unsaved = true;
    const pauseMs = givesUp ? undefined : backoff(attempts, options, retryAfterMs);
    poster.record(this.delivery.config, notification, {
      kind: givesUp ? 'gave-up' : 'failed',
      attempts,
      reason,
      ...(status !== undefined && { status }),
      ...(pauseMs !== undefined && { retryInMs: Math.round(pauseMs) }),
    });
    if (!(await this.#save()) || pauseMs === undefined) return 'over';
    return { pauseMs };
  }

  async #wait(): Promise<Step> {
    if (this.#unsaved && !(await this.#save())) return 'over';
    if (this.#unwatch) return 'idle';
    this.#watch();
    return 'again';
  }

  /** Not begun yet, or forgotten with its webhooks; one that never begins is waited for in vain. */
  async #miss(): Promise<Step> {
    const { store, options } = this.services;
    if (!(await this.#save())) return 'over';
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#missingSince ??= Date.now();
    const missing = Date.now() - this.#missingSince;
    if (missing < options.orphanMs) return 'idle';
    const { taskId, id } = this.delivery.config;
    await store.delete(taskId, id);
    return 'over';
  }

  async #save(): Promise<boolean> {
    const held = await this.services.store.note(this.delivery, this.#state);
    this.#unsaved = false;
    return held;
  }

  #watch(): void {
    this.#unwatch = this.services.queue.watch(this.delivery.config.taskId, (sequence) => {
      if (sequence === undefined || sequence > (this.#state.cursor ?? 0)) this.#wakeUp.call();
    });
  }

  #idle(): Promise<void> {
    const { orphanMs } = this.services.options;
    return this.#wakeUp.sleep(this.#missingSince === undefined ? undefined : Math.min(MISSING_MS, orphanMs));
  }

  /** Only the end makes it shorter: a webhook that fails is not asked more often because more happens. */
  async #pause(ms: number): Promise<void> {
    this.#pausing = new AbortController();
    await delay(ms, undefined, { signal: this.#pausing.signal, ref: false }).catch(() => {});
  }
}
