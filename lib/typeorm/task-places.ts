import type { TaskCursor } from '../interfaces/task-store.js';
import type { SqlValue } from './database/database.js';
import { toText } from './database/text.js';
import { fromSortable, toSortable } from './database/timestamps.js';
import type { TaskRow } from './task-row.js';

/** A condition of a WHERE clause with its parameters. */
export type Condition = readonly [sql: string, ...parameters: SqlValue[]];

/** In the order of lists, the newest first: what comes after a place. The first half lets the index begin at the place. */
export function olderThan({ timestamp, id }: TaskCursor): Condition {
  const time = toSortable(timestamp);
  return ['status_timestamp <= ? AND (status_timestamp < ? OR id > ?)', time, time, toText(id)];
}

/** The oldest first: what comes after a place. */
export function newerThan({ timestamp, id }: TaskCursor): Condition {
  const time = toSortable(timestamp);
  return ['status_timestamp >= ? AND (status_timestamp > ? OR id > ?)', time, time, toText(id)];
}

export function cursorOf(row: Pick<TaskRow, 'id' | 'status_timestamp'>): TaskCursor {
  return { timestamp: fromSortable(String(row.status_timestamp)), id: String(row.id) };
}
