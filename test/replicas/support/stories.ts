import type { Peer } from '../../conformance/support/peer.js';
import { read, type StreamedEvent } from '../../e2e/calls.js';
import { M } from '../../support/message.js';

/** Sends with a stream, which is left unread. */
export function openSend(peer: Peer, text: string, taskId?: string): Promise<Response> {
  return peer.request('SendStreamingMessage', M(text, taskId ? { message: { taskId } } : {}));
}

/** Subscribes to a task, after an event when its number is given; the stream is left unread. */
export function openSubscription(peer: Peer, id: string, after?: number): Promise<Response> {
  return peer.with({ 'last-event-id': after?.toString() }).request('SubscribeToTask', { id });
}

/** All that a subscription tells up to its end. */
export async function follow(peer: Peer, id: string, after?: number): Promise<StreamedEvent[]> {
  return read(await openSubscription(peer, id, after));
}

/** Events without the times at which they came. */
export function plain(story: readonly StreamedEvent[]): Omit<StreamedEvent, 'at'>[] {
  return story.map(({ id, event }) => ({ id, event }));
}
