import { agentMessage } from '../protocol/messages.js';
import type { JsonObject, StreamResponse, TaskState } from '../protocol/model.js';
import { timestampNow } from '../protocol/timestamp.js';
import type { TaskIds } from './normalize-event.js';

/** A status update by the library itself, complete. */
export function statusUpdate(
  { taskId, contextId }: TaskIds,
  state: TaskState,
  text?: string,
  metadata?: JsonObject,
): StreamResponse {
  return {
    statusUpdate: {
      taskId,
      contextId,
      status: {
        state,
        ...(text !== undefined && { message: agentMessage(text, { taskId, contextId }) }),
        timestamp: timestampNow(),
      },
      ...(metadata && { metadata }),
    },
  };
}
