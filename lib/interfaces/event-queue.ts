import type { AgentEvent } from '../protocol/events.js';
import type { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../protocol/model.js';

/** What an executor may emit: an event as the builders make it, or the bare object of the Python SDK. */
export type Emission = AgentEvent | Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

/**
 * Where an executor's events go: into the task's log. An executor may run ahead of the log by 64 events or 256 KiB.
 *
 * @publicApi
 */
export interface EventQueue {
  /**
   * Emits an event; missing ids and timestamps are filled in. Resolves at once for an artifact chunk that fits the run-ahead, and when logged for
   * a status change and a closing artifact chunk. Rejects with TaskEndedError after the end of the task or of the run.
   */
  enqueueEvent(event: Emission): Promise<void>;

  /** Resolves when everything emitted so far is logged; rejects, as emitting does, when some of it was refused. */
  flush(): Promise<void>;

  /** Says that the work goes on after the run returns; a TaskHandle ends the task. */
  detach(): void;
}

/** Something was emitted after the task or the run had ended; it was discarded. */
export class TaskEndedError extends Error {
  override readonly name = 'TaskEndedError';

  constructor(readonly taskId: string) {
    super(`Task ${taskId} takes no more events from this run: it has ended, was canceled, or was taken over`);
  }
}
