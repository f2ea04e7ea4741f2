import { isInterrupted } from '../protocol/task-state.js';
import type { TaskState } from '../protocol/model.js';
import type { LogHead, LogRecord, MessageCommand } from '../interfaces/queue-manager.js';
import { statusOf } from './log-event.js';

/** A message of the log that waits for a run. */
export interface WaitingMessage {
  readonly sequence: number;
  readonly command: MessageCommand;
}

/** A run that did not come to its end. */
export interface InterruptedRun {
  /** What it ran for; undefined where the log does not know any more. */
  readonly message?: WaitingMessage;
  /** Artifacts that it has written to. */
  readonly artifactIds: ReadonlySet<string>;
}

/** What a log tells of the run that took the last message. */
export class LastRun {
  readonly #artifactIds = new Set<string>();
  #message: WaitingMessage | undefined;
  #state: TaskState | undefined;

  /** @param state the task's state in its snapshot, which counts where the log does not reach back far enough. */
  constructor(
    private readonly head: LogHead,
    state: TaskState | undefined,
  ) {
    if (head.firstSequence > head.taken) this.#state = state;
  }

  /** To be called with every record from the message on. */
  note({ sequence, event, command, taken }: LogRecord): void {
    if (command) {
      if (sequence === this.head.taken && command.kind === 'message') this.#message = { sequence, command };
    } else if (taken === this.head.taken) {
      this.#state = statusOf(event)?.state ?? this.#state;
      if ('error' in event) return;
      if (event.artifactUpdate) this.#artifactIds.add(event.artifactUpdate.artifact.artifactId);
      for (const { artifactId } of event.task?.artifacts ?? []) this.#artifactIds.add(artifactId);
    }
  }

  /** Undefined when no run had begun, or it had left the task to its caller. */
  interrupted(): InterruptedRun | undefined {
    if (this.head.taken === 0 || (this.#state && isInterrupted(this.#state))) return undefined;
    return { ...(this.#message && { message: this.#message }), artifactIds: this.#artifactIds };
  }
}
