import type { JsonObject, Message, Part, SendMessageConfiguration, Task } from '../protocol/model.js';
import type { ServerCallContext } from './server-call-context.js';
import type { TaskUpdater } from './task-updater.js';

/** What contextHistory() answers with: earlier tasks of the conversation, oldest first, each with history and artifacts. */
export interface ContextHistoryOptions {
  /** Most tasks to read; default 10. */
  readonly limit?: number;
}

/** What is in a part, whichever way it came. */
export interface PartContent {
  readonly bytes: Uint8Array;
  /** What the part says, else what the server that had it says; undefined when nobody does. */
  readonly mediaType: string | undefined;
}

/** Limits for fetchPart(); defaults are those of the module's `urls`. */
export interface FetchPartOptions {
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

/**
 * What an executor knows of the message it runs for.
 *
 * @publicApi
 */
export abstract class RequestContext {
  abstract readonly message: Message;
  /** The task as it was when the run began; undefined for the first message of a new task, in its first attempt. */
  abstract readonly task: Task | undefined;
  abstract readonly taskId: string;
  abstract readonly contextId: string;
  abstract readonly configuration: SendMessageConfiguration;
  /** Metadata of the request (not of the message). */
  abstract readonly metadata: JsonObject;
  /** User, tenant, extensions and headers of the caller. */
  abstract readonly call: ServerCallContext;
  /** Id of the skill that was chosen; undefined when the agent has a plain `execute()`. */
  abstract readonly skill: string | undefined;
  /**
   * 1, or more when earlier runs for this message were interrupted and the agent has `onInterrupted: 'retry'`. The first chunk of each artifact
   * that an interrupted run had written to replaces what is there of it.
   */
  abstract readonly attempt: number;
  /** Aborted when the task is canceled, or taken from this run. */
  abstract get signal(): AbortSignal;
  /** Emits events with less ceremony than the event queue. */
  abstract readonly updater: TaskUpdater;

  /** The text parts of the message, joined by line breaks. */
  abstract get userInput(): string;

  abstract get isCancelled(): boolean;

  /** The tasks of `message.referenceTaskIds` that the caller may see. */
  abstract relatedTasks(): Promise<Task[]>;

  /**
   * The content of a part: that of a `url` part is fetched, from public addresses only (option `urls`) and without following redirects.
   * @throws UnsafeUrlError, or UrlFetchError where it cannot be had, is too large or takes too long.
   */
  abstract fetchPart(part: Part, options?: FetchPartOptions): Promise<PartContent>;

  /** Earlier tasks of this contextId and owner, oldest first, without this one. */
  abstract contextHistory(options?: ContextHistoryOptions): Promise<Task[]>;
}
