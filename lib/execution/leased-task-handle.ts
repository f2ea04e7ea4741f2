import { Injectable } from '@nestjs/common';
import { IdGenerator } from '../interfaces/id-generator.js';
import type { Emission, EventQueue } from '../interfaces/event-queue.js';
import { TaskHandle, type TaskUpdater } from '../interfaces/task-updater.js';
import { LeasedWrites } from './leased-writes.js';
import { normalizeEvent } from './normalize-event.js';
import { quiet } from './quiet.js';
import { QueueTaskUpdater } from './queue-task-updater.js';

/** How long an update waits for a run that holds the task, in ms. */
const WAIT_MS = 30_000;

/** The TaskHandle: each update takes the lease for itself, so any replica may update any task. */
@Injectable()
export class LeasedTaskHandle extends TaskHandle {
  constructor(
    private readonly writes: LeasedWrites,
    private readonly ids: IdGenerator,
  ) {
    super();
  }

  override for(taskId: string): TaskUpdater {
    return new QueueTaskUpdater(taskId, undefined, new LeasedEventQueue(taskId, this.writes), () =>
      this.ids.artifactId(),
    );
  }
}

/** Writes one event after the other, each under its own lease. */
class LeasedEventQueue implements EventQueue {
  #last: Promise<void> = Promise.resolve();
  /** Rejects when any of the events so far was not logged. */
  #all: Promise<void> = Promise.resolve();

  constructor(
    private readonly taskId: string,
    private readonly writes: LeasedWrites,
  ) {}

  enqueueEvent(emission: Emission): Promise<void> {
    const write = (): Promise<void> =>
      this.writes.write(this.taskId, (writer) => normalizeEvent(emission, writer), { waitMs: WAIT_MS });
    const written = this.#last.then(write);
    this.#last = written.catch(() => {});
    this.#all = quiet(this.#all.then(() => written));
    return quiet(written);
  }

  flush(): Promise<void> {
    return this.#all;
  }

  detach(): void {}
}
