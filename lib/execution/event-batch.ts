import type { LogEvent } from '../interfaces/queue-manager.js';
import { weighEvent } from '../protocol/weight.js';

/** Events that are logged together, and the promise of it. */
export class EventBatch {
  readonly events: LogEvent[] = [];
  bytes = 0;
  readonly done: Promise<void>;
  resolve!: () => void;
  reject!: (error: unknown) => void;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Not every emitter waits; those that do get the error all the same.
    this.done.catch(() => {});
  }

  /** Answers the weight of the event in bytes. */
  add(event: LogEvent): number {
    const bytes = weighEvent(event);
    this.events.push(event);
    this.bytes += bytes;
    return bytes;
  }

  /** The events cut before each repeated Task and after chunks that it depends on: a repeated Task is completed from all that came before it. */
  groups(published: boolean): LogEvent[][] {
    const groups: LogEvent[][] = [[]];
    let known = published;
    for (const event of this.events) {
      const isTask = 'task' in event && event.task !== undefined;
      if (isTask && known) groups.push([]);
      known ||= isTask;
      groups.at(-1)!.push(event);
    }
    return groups.filter((group) => group.length > 0);
  }
}
