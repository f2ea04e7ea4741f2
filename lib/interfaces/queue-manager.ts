import type { ErrorDetail } from '../protocol/error-details.js';
import type { JsonObject, Message, SendMessageConfiguration, StreamResponse } from '../protocol/model.js';
import type { ServerCallContext } from './server-call-context.js';
import type { Spare } from './spare.js';
import type { TaskScope } from './task-store.js';

/** Why an executor refused a message before its task existed: an A2AError as JSON. */
export interface LoggedError {
  readonly reason: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** What a writer logs: the events of the wire, and the refusal that takes their place. */
export type LogEvent = StreamResponse | { readonly error: LoggedError };

/** A message for the executor. */
export interface MessageCommand {
  readonly kind: 'message';
  readonly message: Message;
  readonly call: ServerCallContext;
  readonly configuration?: SendMessageConfiguration;
  readonly metadata?: JsonObject;
  /**
   * Digest of what was sent, where sends are idempotent: of the commands of a log that have one, each messageId is there once.
   */
  readonly once?: string;
}

/** A wish to cancel the task. */
export interface CancelCommand {
  readonly kind: 'cancel';
  readonly call: ServerCallContext;
  readonly metadata?: JsonObject;
}

export type TaskCommand = MessageCommand | CancelCommand;

/** One entry of a task's log. Numbers start at 1 and grow; commands take numbers too, so those of events may skip. */
export type LogRecord =
  | {
      readonly sequence: number;
      readonly event: LogEvent;
      /** Number of the last message that a run had taken when the event was logged: by it a reader tells whose answer it is. */
      readonly taken: number;
      readonly command?: undefined;
    }
  | {
      readonly sequence: number;
      readonly command: TaskCommand;
      readonly event?: undefined;
      readonly taken?: undefined;
    };

/**
 * `queued`: a command waits for its run; when none is newer than `taken`, the message that was taken last waits for another, as its run was
 * interrupted. `parked`: the agent waits for a message; `detached`: for its task handle.
 */
export type RunState = 'queued' | 'running' | 'parked' | 'detached' | 'ended';

/** To whom a log belongs; fixed when it is created. */
export interface TaskOrigin extends TaskScope {
  readonly contextId: string;
  /** Id of the skill that the task was begun with; absent for agents with a plain `execute()`. */
  readonly skill?: string;
}

/** The mutable head of a log. */
export interface LogHead extends TaskOrigin {
  readonly taskId: string;
  /** Number of the last record. */
  readonly sequence: number;
  /** Number of the oldest record that is still kept. */
  readonly firstSequence: number;
  /** Fencing token of the latest lease; grows with each acquisition. */
  readonly token: number;
  /** Who holds the lease; absent when it is released or expired. */
  readonly holder?: string;
  readonly runState: RunState;
  /** Number of the last message command that a run has taken. */
  readonly taken: number;
  /** A closed log takes neither commands nor events. */
  readonly closed: boolean;
}

/** The right to write events, until it expires or another takes it. */
export interface Lease {
  readonly taskId: string;
  readonly holder: string;
  readonly token: number;
  /** Run state in which the log was found, for those who give the lease back as it was. */
  readonly found: RunState;
}

export interface LeaseRequest {
  readonly holder: string;
  readonly ttlMs: number;
  /** Leave the run state as it is: the lease is for a single write and not for a run. */
  readonly keepState?: boolean;
}

/** Where a log goes on whose records were lost: numbers and tokens grow from these. */
export interface LogFloor {
  readonly sequence: number;
  readonly token: number;
}

/** Which task a message began or went to, and a digest of what was sent. */
export interface SendClaim {
  readonly taskId: string;
  readonly digest: string;
}

/** Which logs nobody works on though somebody should. Times in ms since the epoch. */
export interface AbandonedQuery {
  /** A command that nobody holds the log for counts from this time on backwards. */
  readonly queuedBefore: number;
  /** Most ids to answer. */
  readonly limit: number;
}

/**
 * The logs that processes share: per task an ordered list of commands and events, a head, and a run lease.
 * The log is the authority on a task; its first terminal event closes it.
 *
 * @publicApi
 */
export abstract class QueueManager {
  /** Whether logs are kept in the memory of this process, so that nobody else can go on with a task when it ends. */
  get volatile(): boolean {
    return false;
  }

  /**
   * Creates the log of a task with its first command (number 1) and, when asked, takes its lease in the same atomic step.
   * Throws TaskLogExistsError when the id is taken.
   */
  abstract create(
    taskId: string,
    origin: TaskOrigin,
    command: MessageCommand,
    lease?: LeaseRequest,
  ): Promise<Lease | undefined>;

  /**
   * Appends a command and answers the head after it, whose `sequence` is the command's number. In the same atomic step refuses with
   * TaskLogClosedError, TaskLogNotFoundError, or TaskLogFullError when `maxPending` messages already wait for a run. Before any of that, a
   * message with `once` whose messageId came with another such command is not appended again: `sequence` is then the number of that one.
   */
  abstract appendCommand(taskId: string, command: TaskCommand, maxPending?: number): Promise<LogHead>;

  /**
   * Appends events in order, marked with the head's `taken`, and answers the number of the last. `close` closes the log after them. Throws
   * LeaseLostError when the lease is no longer the latest, TaskLogClosedError when the log is closed.
   * `after` is the number of the last record that the writer knows: where the log holds an event beyond it, this repeats an append whose
   * answer was lost. Nothing is appended then, and the number of the last event is answered, also by a log that is closed.
   */
  abstract append(
    lease: Lease,
    events: readonly LogEvent[],
    options?: { readonly close?: boolean; readonly after?: number },
  ): Promise<number>;

  /** Records after a number, in order, at most `limit`; empty when there are none or the log is unknown. */
  abstract read(taskId: string, after: number, limit?: number): Promise<readonly LogRecord[]>;

  abstract head(taskId: string): Promise<LogHead | undefined>;

  /**
   * Calls the listener after the log has changed, with the number of its last record where that is known; calls may be merged and may
   * be spurious. Answers the function that ends it. Never misses a change that follows the call.
   */
  abstract watch(taskId: string, listener: (sequence?: number) => void): () => void;

  /**
   * Makes a log anew for a task whose log was lost: empty, with numbers and tokens that go on after the floor; its lease is taken in the same
   * step. Undefined when there is a log: another was first.
   */
  abstract restore(
    taskId: string,
    origin: TaskOrigin,
    floor: LogFloor,
    request: LeaseRequest,
  ): Promise<Lease | undefined>;

  /** Removes the log when no lease of it was ever taken; false, and nothing changes, when a run has begun or the log is unknown. */
  abstract withdraw(taskId: string): Promise<boolean>;

  /**
   * Ids of logs that need somebody, in no particular order: those whose lease expired without being given back (closed and detached ones too:
   * their last snapshot may be missing), and those that nobody holds although they are queued or a command waits, and whose last command came
   * before `queuedBefore`. Not parked logs without a waiting command, and not detached ones that were given back.
   */
  abstract abandoned(query: AbandonedQuery): Promise<readonly string[]>;

  /**
   * Claims a key (at most 64 letters and digits) for `windowMs`, in one atomic step for all processes. Answers the claim that stands: the given one, or the earlier one
   * whose window has not passed.
   */
  abstract claim(key: string, claim: SendClaim, windowMs: number): Promise<SendClaim>;

  /**
   * Takes the lease when it is free or expired; with `takeOver` also from its holder. Undefined when it is held, the log is unknown, or closed
   * and given back; a closed log whose lease expired can be taken, to save what its last holder could not. Sets the run state to `running`
   * unless told to keep it.
   */
  abstract acquire(taskId: string, request: LeaseRequest, takeOver?: boolean): Promise<Lease | undefined>;

  /** False when the lease was lost. */
  abstract renew(lease: Lease, ttlMs: number): Promise<boolean>;

  /**
   * Notes that the run has taken the message command with this number, and answers which attempt at it this is: 1, or one more for each
   * earlier lease under which it was taken. Repeating it under one lease changes nothing. Throws LeaseLostError.
   */
  abstract take(lease: Lease, sequence: number): Promise<number>;

  /**
   * Gives the lease back and sets the run state. False, and nothing changes, when `parked` or `queued` is asked for while a command newer than
   * `seen` waits: the holder goes on. A lost lease answers true: there is nothing to give back.
   */
  abstract release(lease: Lease, runState: RunState, seen: number): Promise<boolean>;

  /** Removes logs and wakes their watchers. */
  abstract remove(...taskIds: readonly string[]): Promise<void>;

  /**
   * Removes closed logs, the oldest first: those closed before a time and those above a count. Claims whose window has passed are forgotten by
   * then at the latest.
   */
  abstract prune(options: LogPruneOptions): Promise<void>;
}

/** Which closed logs to remove; what is spared counts as well. */
export interface LogPruneOptions {
  /** In ms since the epoch. */
  readonly closedBefore?: number;
  readonly keepClosed?: number;
  /** Asked for some at a time, and for each log at most twice. */
  readonly spare?: Spare;
}

/** The log is closed: the task has ended. */
export class TaskLogClosedError extends Error {
  override readonly name = 'TaskLogClosedError';

  constructor(readonly taskId: string) {
    super(`The log of task ${taskId} is closed`);
  }
}

/** There is a log of that id already. */
export class TaskLogExistsError extends Error {
  override readonly name = 'TaskLogExistsError';

  constructor(readonly taskId: string) {
    super(`There is a log of task ${taskId} already`);
  }
}

/** There is no log of that id. */
export class TaskLogNotFoundError extends Error {
  override readonly name = 'TaskLogNotFoundError';

  constructor(readonly taskId: string) {
    super(`There is no log of task ${taskId}`);
  }
}

/** Too many messages wait for a run of the task. */
export class TaskLogFullError extends Error {
  override readonly name = 'TaskLogFullError';

  constructor(
    readonly taskId: string,
    readonly maxPending: number,
  ) {
    super(`${maxPending} messages wait for task ${taskId}`);
  }
}

/** Another holder has taken the lease; what this writer wanted to log was refused. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(readonly taskId: string) {
    super(`The lease of task ${taskId} was lost`);
  }
}
