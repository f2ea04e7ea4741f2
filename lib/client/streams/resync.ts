import type { StreamResponse, Task } from '../../protocol/model.js';

const resyncs = new WeakSet<StreamResponse>();

/** A `task` event that says anew what the caller has seen in part. */
export function resync(task: Task): StreamResponse {
  const event: StreamResponse = { task };
  resyncs.add(event);
  return event;
}

/**
 * Whether a `task` event was made by the client when it resumed a stream, because something was missed that no update can tell, such as messages that
 * are in the history by now. It replaces everything before; artifacts that were told already are in it again.
 *
 * @publicApi
 */
export function isResync(event: StreamResponse): boolean {
  return resyncs.has(event);
}
