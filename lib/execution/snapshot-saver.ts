import { Logger } from '@nestjs/common';
import type { TaskProjection } from '../protocol/task-projection.js';
import { weighTask } from '../protocol/weight.js';
import type { LogEvent, TaskOrigin } from '../interfaces/queue-manager.js';
import type { TaskStore } from '../interfaces/task-store.js';

/** A tail below this is not worth a snapshot, in bytes. */
const SMALL_TAIL = 64 * 1024;

const logger = new Logger('A2A');
const DONE = Promise.resolve();

/**
 * Saves snapshots of one task: when its status changes, when an artifact closes, and when the tail outgrows the snapshot,
 * so that the cost of an event does not grow with the task. Saves never overlap, and those that are due in one turn of the event loop
 * are one: what a reader needs is in the log.
 */
export class SnapshotSaver {
  #tailBytes = 0;
  #snapshotBytes = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #saving: Promise<void> | undefined;
  #wanted: TaskProjection | undefined;
  #savedSequence = 0;

  constructor(
    private readonly store: TaskStore,
    private readonly origin: TaskOrigin,
    private readonly fence: number,
  ) {}

  /** Saves in the background when the events, of the given weight in bytes, call for it. */
  consider(projection: TaskProjection, events: readonly LogEvent[], bytes: number): void {
    this.#tailBytes += bytes;
    if (!events.some(isMilestone) && this.#tailBytes <= Math.max(SMALL_TAIL, this.#snapshotBytes)) return;
    this.#wanted = projection;
    if (!this.#saving) this.#scheduled ??= setImmediate(() => this.#saveSoon());
  }

  /** Resolves when all that the projection holds now is saved. Throws what the store throws. */
  saveNow(projection: TaskProjection): Promise<void> {
    this.#unschedule();
    if (this.#saving) return this.#saving.catch(() => {}).then(() => this.saveNow(projection));
    return this.#savedSequence < projection.sequence ? this.#save(projection) : DONE;
  }

  #saveSoon(): void {
    this.#unschedule();
    if (this.#saving || !this.#wanted) return;
    this.#save(this.#wanted).catch((error: unknown) => {
      logger.warn(`The snapshot of a task was not saved; its log still has all of it: ${String(error)}`);
    });
  }

  #unschedule(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
  }

  #save(projection: TaskProjection): Promise<void> {
    this.#wanted = undefined;
    return (this.#saving = this.#store(projection));
  }

  /** One at a time; what was wanted meanwhile is saved in the next turn. */
  async #store(projection: TaskProjection): Promise<void> {
    const { sequence } = projection;
    const task = projection.snapshot();
    this.#tailBytes = 0;
    this.#snapshotBytes = weighTask(task);
    const { agent, tenant, owner } = this.origin;
    try {
      await this.store.save({ task, sequence, fence: this.fence, agent, tenant, owner });
      this.#savedSequence = sequence;
    } finally {
      this.#saving = undefined;
      if (this.#wanted) this.#scheduled ??= setImmediate(() => this.#saveSoon());
    }
  }
}

/** A change of status, a whole task, or the end of an artifact. */
function isMilestone(event: LogEvent): boolean {
  return !('artifactUpdate' in event) || event.artifactUpdate?.lastChunk === true;
}
