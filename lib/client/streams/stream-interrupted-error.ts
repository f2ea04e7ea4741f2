import type { TaskState } from '../../protocol/model.js';
import { A2AClientError } from '../client-errors.js';

/** Where a stream stood when it was given up. */
export interface Interruption {
  /** The task that was told about; undefined when the stream broke before it named one. */
  readonly taskId?: string | undefined;
  /** The state that was seen last. */
  readonly lastState?: TaskState | undefined;
  /** The id that the peer gave its last event, where it numbers them: `subscribe()` goes on from there. */
  readonly lastEventId?: string | undefined;
}

/**
 * A stream ended before its story did, and could not be gone on with. The task itself may still be at work: `waitFor(taskId)` or GetTask tell.
 * `cause` is what ended the last exchange; there is none when the peer just ended it.
 *
 * @publicApi
 */
export class StreamInterruptedError extends A2AClientError implements Interruption {
  readonly taskId: string | undefined;
  readonly lastState: TaskState | undefined;
  readonly lastEventId: string | undefined;

  constructor({ taskId, lastState, lastEventId }: Interruption, what: string, options?: ErrorOptions) {
    const story = taskId === undefined ? 'The stream' : `The stream of task ${taskId}`;
    const where = lastState === undefined ? 'before its first event' : `in ${lastState}`;
    super(`${story} broke off ${where}: ${what}`, options);
    this.taskId = taskId;
    this.lastState = lastState;
    this.lastEventId = lastEventId;
  }
}
