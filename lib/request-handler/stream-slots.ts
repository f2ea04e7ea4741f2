import { Inject, Injectable } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { OwnerSlots } from '../interfaces/owner-slots.js';
import type { EventStream } from '../interfaces/task-reader.js';

/** The streams that are open towards callers, by owner. */
@Injectable()
export class StreamSlots extends OwnerSlots {
  constructor(@Inject(A2A_OPTIONS) { limits }: ResolvedOptions) {
    super('open streams', { perOwner: limits.streamsPerOwner, total: limits.streams });
  }

  /** Opens a stream where there is room for one, which is free again when the stream ends. Throws as take() does, before anything is opened. */
  async open(owner: string, open: () => Promise<EventStream>): Promise<EventStream> {
    const leave = this.take(owner);
    try {
      return leaving(await open(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }
}

function leaving(stream: EventStream, leave: () => void): EventStream {
  return {
    read: async () => {
      try {
        const events = await stream.read();
        if (!events) leave();
        return events;
      } catch (error) {
        leave();
        throw error;
      }
    },
    finish: () => stream.finish(),
    close: () => {
      leave();
      stream.close();
    },
  };
}
