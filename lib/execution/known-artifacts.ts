import type { TaskArtifactUpdateEvent } from '../protocol/model.js';
import type { LogEvent } from '../interfaces/queue-manager.js';

/** Which artifacts a task has, so that a chunk that adds to none begins one instead and no reader has to guess. */
export class KnownArtifacts {
  readonly #ids: Set<string>;

  constructor(ids: Iterable<string>) {
    this.#ids = new Set(ids);
  }

  /** The next chunk of each of these begins it anew. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#ids.delete(id);
  }

  /** Notes what an event adds, and answers the event as it is to be logged. */
  settle(event: LogEvent): LogEvent {
    if ('error' in event) return event;
    if (event.task?.artifacts) for (const { artifactId } of event.task.artifacts) this.#ids.add(artifactId);
    if (!event.artifactUpdate) return event;
    const { artifactId } = event.artifactUpdate.artifact;
    const begins = event.artifactUpdate.append && !this.#ids.has(artifactId);
    this.#ids.add(artifactId);
    return begins ? withoutAppend(event.artifactUpdate) : event;
  }
}

function withoutAppend({ append: _, ...artifactUpdate }: TaskArtifactUpdateEvent): LogEvent {
  return { artifactUpdate };
}
