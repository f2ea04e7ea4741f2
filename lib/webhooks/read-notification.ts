import { readJson } from '../http/json-body.js';
import type { NotificationDelivery, NotificationKind } from '../interfaces/push-notification.js';
import { parse } from '../protocol/door.js';
import { InvalidParamsError } from '../protocol/errors.js';
import type { StreamResponse } from '../protocol/model.js';
import { negotiateVersion, VERSION_HEADER } from '../protocol/version.js';
import type { IncomingNotification } from './incoming-notification.js';

/** Longer ones are nobody's. */
const MAX_ID = 512;

/** A notification whose body was found good. */
export interface ReadNotification {
  readonly event: StreamResponse;
  readonly delivery: NotificationDelivery;
}

/** Throws the A2AError that says what is wrong with version, type or body. */
export function readNotification(incoming: IncomingNotification, maxDepth: number): ReadNotification {
  const { http, body, id, token } = incoming;
  // Senders that say nothing speak what they speak: the body shows it.
  const version = incoming.header(VERSION_HEADER);
  if (version !== undefined) negotiateVersion(version);
  if (id !== undefined && id.length > MAX_ID)
    throw new InvalidParamsError([], `The id of the notification is longer than ${MAX_ID} characters`);
  const event = parse('StreamResponse', readJson(body, http.headers), '', maxDepth);
  return {
    event,
    delivery: { ...(id !== undefined && { id }), ...(token !== undefined && { token }), ...subjectOf(event) },
  };
}

function subjectOf({
  task,
  message,
  statusUpdate,
  artifactUpdate,
}: StreamResponse): Pick<NotificationDelivery, 'kind' | 'taskId' | 'contextId'> {
  if (task) return { kind: 'task', taskId: task.id, ...(task.contextId && { contextId: task.contextId }) };
  const [kind, { taskId, contextId }]: [NotificationKind, { taskId?: string; contextId?: string }] =
    statusUpdate
      ? ['statusUpdate', statusUpdate]
      : artifactUpdate
        ? ['artifactUpdate', artifactUpdate]
        : ['message', message!];
  return { kind, ...(taskId && { taskId }), ...(contextId && { contextId }) };
}
