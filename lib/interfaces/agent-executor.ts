import type { EventQueue } from './event-queue.js';
import type { RequestContext } from './request-context.js';

/**
 * The plain form of an agent, as in the Python SDK. A class decorated with `@AgentExecutor()` has either these methods or `@Skill()` methods.
 *
 * @publicApi
 */
export interface AgentExecutor {
  /** Handles a message. It must end, pause or detach the task before it returns, or answer with one Message. */
  execute(context: RequestContext, eventQueue: EventQueue): Promise<void> | void;

  /** Called when the task is canceled, after `context.signal` was aborted. It may end the task itself. */
  cancel?(context: RequestContext, eventQueue: EventQueue): Promise<void> | void;
}
