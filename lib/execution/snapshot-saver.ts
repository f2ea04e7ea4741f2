import { Logger } from '@nestjs/common';
import type { TaskProjection } from '../protocol/task-projection.js';
import { weighEvent, weighTask } from '../protocol/weight.js';
import type { LogEvent, TaskOrigin } from '../interfaces/queue-manager.js';
import type { TaskStore } from '../interfaces/task-store.js';

/** A tail below this is not worth a snapshot, in bytes. */
const SMALL_TAIL = 64 * 1024;

/**
 * Saves snapshots of one task: when its status changes, when an artifact closes, and when the tail outgrows the snapshot,
 * so that the cost of an event does not grow with the task. Saves never overlap; one that waits takes the newest state.
 */
export class SnapshotSaver {
  readonly #logger = new Logger('A2A');
  #tailBytes = 0;
  #snapshotBytes = 0;
  #saving: Promise<void> | undefined;
  #wanted: TaskProjection | undefined;
  #savedSequence = 0;

  constructor(
    private readonly store: TaskStore,
    private readonly origin: TaskOrigin,
    private readonly fence: number,
  ) {}

  /** Saves in the background when the events call for it. */
  consider(projection: TaskProjection, events: readonly LogEvent[]): void {
    let due = false;
    for (const event of events) {
      this.#tailBytes += weighEvent(event);
      due ||= !('artifactUpdate' in event) || event.artifactUpdate?.lastChunk === true;
    }
    if (!due && this.#tailBytes <= Math.max(SMALL_TAIL, this.#snapshotBytes)) return;
    this.#wanted = projection;
    this.#saving ??= this.#saveAll().catch((error: unknown) => {
      this.#logger.warn(
        `The snapshot of a task was not saved; its log still has all of it: ${String(error)}`,
      );
    });
  }

  /** Resolves when all that the projection holds now is saved. Throws what the store throws. */
  async saveNow(projection: TaskProjection): Promise<void> {
    while (this.#saving) await this.#saving;
    if (this.#savedSequence >= projection.sequence) return;
    this.#wanted = projection;
    this.#saving = this.#saveAll();
    await this.#saving;
  }

  async #saveAll(): Promise<void> {
    try {
      for (let wanted = this.#wanted; wanted; wanted = this.#wanted) {
        this.#wanted = undefined;
        await this.#save(wanted);
      }
    } finally {
      this.#saving = undefined;
    }
  }

  async #save(projection: TaskProjection): Promise<void> {
    const { sequence } = projection;
    const task = projection.snapshot();
    this.#tailBytes = 0;
    this.#snapshotBytes = weighTask(task);
    const { agent, tenant, owner } = this.origin;
    await this.store.save({ task, sequence, fence: this.fence, agent, tenant, owner });
    this.#savedSequence = sequence;
  }
}
