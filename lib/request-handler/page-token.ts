import { createHash } from 'node:crypto';
import { InvalidParamsError } from '../protocol/errors.js';
import type { TaskCursor, TaskQuery } from '../interfaces/task-store.js';

/**
 * Page tokens name the place after which a page starts, and are bound to the filters and the caller they were made for. They hold nothing
 * secret and grant nothing: whatever they say, the query stays within the caller's scope.
 */
export function encodePageToken(cursor: TaskCursor, query: TaskQuery): string {
  return Buffer.from(JSON.stringify([cursor.timestamp, cursor.id, fingerprint(query)])).toString('base64url');
}

/** Throws InvalidParamsError for a token that was not made for this query. */
export function decodePageToken(token: string, query: TaskQuery): TaskCursor {
  const [timestamp, id, print] = parse(token);
  if (typeof timestamp !== 'string' || typeof id !== 'string' || print !== fingerprint(query)) {
    const description = 'must be the nextPageToken of a page with the same filters and the same caller';
    throw new InvalidParamsError([{ field: 'pageToken', description }]);
  }
  return { timestamp, id };
}

function parse(token: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function fingerprint({ agent, tenant, owner, contextId, status, statusTimestampAfter }: TaskQuery): string {
  const filters = JSON.stringify([agent, tenant, owner, contextId, status, statusTimestampAfter]);
  return createHash('sha256').update(filters).digest('base64url').slice(0, 16);
}
