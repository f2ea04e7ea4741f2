import type { CancelCommand, MessageCommand, TaskOrigin } from './queue-manager.js';

/**
 * Brings accepted commands to an executor: in this process, or on workers. It never answers with events: callers read those from the log.
 *
 * @publicApi
 */
export abstract class TaskRunner {
  /** False while the process drains: new messages are refused with UnavailableError. */
  abstract readonly accepting: boolean;

  /** Creates the log of a new task and has the executor run. Resolves, when its command is logged, to the command's number. */
  abstract start(taskId: string, origin: TaskOrigin, command: MessageCommand): Promise<number>;

  /** Appends a message to a live task; throws as QueueManager.appendCommand does. Resolves to the command's number. */
  abstract send(taskId: string, command: MessageCommand): Promise<number>;

  /** Asks for the end of a task and resolves when its log is closed, by the cancel or by an end that came first. */
  abstract cancel(taskId: string, command: CancelCommand): Promise<void>;

  /** Sees to it that the commands which wait in a task's log are taken, by whoever holds its lease or by a new run. */
  abstract poke(taskId: string): Promise<void>;

  /**
   * Accepts nothing more and resolves when no run is left in this process: running tasks get the drain time, the rest are settled. Idempotent.
   */
  abstract drain(): Promise<void>;
}
