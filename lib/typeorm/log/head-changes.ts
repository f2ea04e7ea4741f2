import type { Lease, LeaseRequest, RunState, TaskCommand } from '../../interfaces/queue-manager.js';
import { fromNow, type DatabaseClock } from '../database/database-clock.js';
import { raw, sql, type Sql } from '../database/sql.js';

/** A change of a head: what is set, and what must hold for it. */
export interface HeadChange {
  /**
   * Assignments, of which MySQL makes one after the other with what those before have set: one that reads a column comes before the one that
   * sets it. The sequence is set last, by the tables.
   */
  readonly set: readonly Sql[];
  readonly where: Sql;
  /** Nobody who watches the log need know. */
  readonly silent?: true;
}

/** An expired lease that nobody took is still its holder's: the process was only slow. */
function holds({ token, holder }: Lease): Sql {
  return sql`token = ${token} AND holder = ${holder}`;
}

export interface AppendOptions {
  readonly count: number;
  /** Where the log ends, if the events end it. */
  readonly closing: Sql | undefined;
  readonly after: number;
}

export function toAppend(lease: Lease, { count, closing, after }: AppendOptions): HeadChange {
  const open = sql`${holds(lease)} AND closed_at IS NULL`;
  return {
    set: [
      count > 0 ? sql`last_event = sequence + ${raw(count)}` : sql`last_event = last_event`,
      ...(closing ? [sql`closed_at = ${closing}`] : []),
    ],
    where: Number.isFinite(after) ? sql`${open} AND last_event <= ${after}` : open,
  };
}

/** A detached task runs no more: a message only joins its history, so it counts as taken. */
export function toAppendCommand(
  { now }: DatabaseClock,
  { kind }: TaskCommand,
  maxPending: number,
): HeadChange {
  const messages = kind === 'message' ? sql`messages + 1` : sql`messages`;
  const bounded = kind === 'message' && Number.isFinite(maxPending);
  return {
    set: [
      sql`taken = CASE WHEN run_state = 'detached' THEN sequence + 1 ELSE taken END`,
      sql`messages_taken = CASE WHEN run_state = 'detached' THEN ${messages} ELSE messages_taken END`,
      sql`messages = ${messages}`,
      sql`last_command = sequence + 1`,
      sql`command_at = ${now}`,
      sql`waiting_since = CASE WHEN holder IS NULL AND run_state <> 'detached' THEN ${now} END`,
    ],
    where: bounded
      ? sql`closed_at IS NULL AND messages - messages_taken < ${maxPending}`
      : sql`closed_at IS NULL`,
  };
}

/** A closed log is lent again only when its last holder did not give it back. */
export function toAcquire(clock: DatabaseClock, request: LeaseRequest, takeOver: boolean): HeadChange {
  const expired = sql`lease_expires_at <= ${clock.now}`;
  const free = takeOver ? sql`closed_at IS NULL` : sql`closed_at IS NULL AND holder IS NULL`;
  return {
    set: [
      sql`found_state = run_state`,
      ...(request.keepState ? [] : [sql`run_state = 'running'`]),
      sql`token = token + 1`,
      sql`holder = ${request.holder}`,
      sql`lease_expires_at = ${fromNow(clock, request.ttlMs)}`,
      sql`waiting_since = NULL`,
    ],
    where: sql`(${free}) OR (holder IS NOT NULL AND ${expired})`,
    silent: true,
  };
}

export function toRenew(clock: DatabaseClock, lease: Lease, ttlMs: number): HeadChange {
  return { set: [sql`lease_expires_at = ${fromNow(clock, ttlMs)}`], where: holds(lease), silent: true };
}

/** How many messages are taken with it stands in its record, which never changes. */
export function toTake(records: Sql, lease: Lease, sequence: number): HeadChange {
  const ordinal = sql`SELECT message_number FROM ${records} WHERE task_id = ${lease.taskId} AND sequence = ${sequence}`;
  return {
    set: [
      sql`attempt = CASE WHEN taken <> ${sequence} THEN 1 WHEN taken_by <> token THEN attempt + 1 ELSE attempt END`,
      sql`taken_by = token`,
      sql`messages_taken = COALESCE((${ordinal}), messages_taken)`,
      sql`taken = ${sequence}`,
    ],
    where: holds(lease),
    silent: true,
  };
}

export function toRelease(lease: Lease, runState: RunState, seen: number): HeadChange {
  const bounded = (runState === 'parked' || runState === 'queued') && Number.isFinite(seen);
  return {
    set: [
      sql`holder = NULL`,
      sql`lease_expires_at = NULL`,
      sql`run_state = CASE WHEN closed_at IS NULL THEN ${runState} ELSE 'ended' END`,
      ...(runState === 'detached' ? DETACHING : [waitingSince(runState)]),
    ],
    where: bounded ? sql`${holds(lease)} AND last_command <= ${seen}` : holds(lease),
  };
}

const DETACHING = [
  sql`taken = CASE WHEN closed_at IS NULL THEN sequence ELSE taken END`,
  sql`messages_taken = messages`,
];

/** A queued log waits for a run, also for another run of the message that was taken last. */
function waitingSince(runState: RunState): Sql {
  const waits =
    runState === 'queued' ? sql`closed_at IS NULL` : sql`closed_at IS NULL AND last_command > taken`;
  return sql`waiting_since = CASE WHEN ${waits} THEN command_at END`;
}
