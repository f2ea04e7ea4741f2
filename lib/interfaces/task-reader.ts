import type { Observable } from 'rxjs';
import type { Message, StreamResponse } from '../protocol/model.js';
import type { TaskQuery, TaskPage, TaskRecord, TaskScope } from './task-store.js';

/** An event and its number in the task's log; that of a Task is the number up to which it tells the story. */
export interface NumberedEvent {
  readonly sequence: number;
  readonly event: StreamResponse;
}

/** A pull stream of events: nothing is buffered for a reader that does not read. */
export interface EventStream {
  /**
   * What is there, waiting when nothing is; undefined at the end. Throws the A2AError with which an executor refused the message.
   * One call at a time.
   */
  read(): Promise<readonly NumberedEvent[] | undefined>;

  /** Ends the stream when what is there now has been read. */
  finish(): void;

  /** Ends the stream and any pending read. Idempotent; it changes nothing for the task. */
  close(): void;
}

export interface FollowOptions {
  /** Number of the record after which the story begins. Without it, it begins at the opening snapshot. */
  readonly after?: number;
  /** Open with the Task as it is now, then go on with what follows it. */
  readonly snapshot: boolean;
  /** End after an INPUT_REQUIRED event of that story; the state in the opening snapshot ends nothing. */
  readonly untilPaused: boolean;
  /** Number of the message whose answer is read: a pause from before a run took that message ends nothing. */
  readonly message?: number;
}

export interface OutcomeOptions {
  /** Number of the message. */
  readonly after: number;
  /** Answer the task as soon as it exists. */
  readonly untilPublished: boolean;
  /** When aborted, the task is answered as it is; where there is none yet, UnavailableError is thrown. */
  readonly signal?: AbortSignal;
}

/** What a blocking send is answered with. */
export type TaskOutcome = { readonly record: TaskRecord } | { readonly message: Message };

/**
 * Reads tasks from snapshot and log. Readers never write.
 *
 * @publicApi
 */
export abstract class TaskReader {
  /** The task as of now (snapshot + tail of its log); undefined when it is unknown, outside the scope, or not published yet. */
  abstract get(id: string, scope?: TaskScope): Promise<TaskRecord | undefined>;

  /** A page of tasks as of now. */
  abstract list(query: TaskQuery): Promise<TaskPage>;

  abstract follow(id: string, options: FollowOptions): EventStream;

  /**
   * Waits for the outcome of the message with number `after`: a Message, or the task once it is terminal or the run that took the message was
   * interrupted. Throws the A2AError of a refusal.
   */
  abstract outcome(id: string, options: OutcomeOptions): Promise<TaskOutcome>;
}

/**
 * Streams of a task's events for the application's own use, such as `@Sse()` endpoints.
 *
 * @publicApi
 */
export abstract class TaskEvents {
  /**
   * The Task as it is now, then every event until it ends. Errors with TaskNotFoundError. Cold: each subscription reads for itself, and leaving
   * one changes nothing for the task. It knows no owner: check first whether the caller may see the task.
   */
  abstract observe(taskId: string): Observable<StreamResponse>;
}
