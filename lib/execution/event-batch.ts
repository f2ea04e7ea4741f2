import type { LogEvent } from '../interfaces/queue-manager.js';
import { weighEvent } from '../protocol/weight.js';
import { quiet } from './quiet.js';

/** Events that are logged together, and the promise of it. */
export class EventBatch {
  readonly events: LogEvent[] = [];
  bytes = 0;
  #done: Promise<void> | undefined;
  #resolve: (() => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  /** For whoever waits, which not every emitter does. */
  get done(): Promise<void> {
    return (this.#done ??= new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    }));
  }

  resolve(): void {
    this.#resolve?.();
  }

  reject(error: unknown): void {
    if (this.#done) quiet(this.#done);
    this.#reject?.(error);
  }

  /** Answers the weight of the event in bytes. */
  add(event: LogEvent): number {
    const bytes = weighEvent(event);
    this.events.push(event);
    this.bytes += bytes;
    return bytes;
  }

  /** The events cut before each repeated Task, which is completed from all that came before it. */
  groups(published: boolean): readonly LogEvent[][] {
    const repeats = (event: LogEvent, i: number): boolean => isTask(event) && (published || i > 0);
    if (!this.events.some(repeats)) return [this.events];
    const cuts = this.events.flatMap((event, i) => (repeats(event, i) ? [i] : []));
    const starts = cuts[0] === 0 ? cuts : [0, ...cuts];
    return starts.map((start, i) => this.events.slice(start, starts[i + 1]));
  }
}

function isTask(event: LogEvent): boolean {
  return 'task' in event && event.task !== undefined;
}
