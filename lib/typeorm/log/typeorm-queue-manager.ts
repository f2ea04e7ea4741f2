import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  LeaseLostError,
  QueueManager,
  TaskLogClosedError,
  TaskLogExistsError,
  TaskLogFullError,
  TaskLogNotFoundError,
  type AbandonedQuery,
  type Lease,
  type LeaseRequest,
  type LogEvent,
  type LogFloor,
  type LogHead,
  type LogPruneOptions,
  type LogRecord,
  type MessageCommand,
  type RunState,
  type SendClaim,
  type TaskCommand,
  type TaskOrigin,
} from '../../interfaces/queue-manager.js';
import type { Spare } from '../../interfaces/spare.js';
import { Database } from '../database/database.js';
import { fromNow } from '../database/database-clock.js';
import { sql, valueList, type Sql } from '../database/sql.js';
import { digestOf, isKey } from '../database/text.js';
import { A2A_TYPEORM_OPTIONS, type ResolvedTypeOrmOptions } from '../typeorm-options.js';
import { toAcquire, toAppend, toAppendCommand, toRelease, toRenew, toTake } from './head-changes.js';
import type { HeadRow } from './head-row.js';
import { LogTables, type ClosedLog, type NewRecords } from './log-tables.js';
import { LogWakeUps } from './log-wake-ups.js';
import { PostgresLogTables } from './postgres-log-tables.js';

/** Logs that one transaction removes: it holds their rows for as long as that takes. */
const REMOVED_AT_ONCE = 50;

/**
 * Keeps the logs in the application's database. Every change of a log begins with an update of its head under a condition, which locks that row:
 * the changes of one log happen one after the other, each whole or not at all. What the database refuses or does not answer rejects with the
 * driver's error. Whether the change was made is unknown then if the connection broke, so nothing is repeated here; callers who repeat an
 * append say what it came `after`.
 *
 * @publicApi
 */
@Injectable()
export class TypeOrmQueueManager extends QueueManager implements OnApplicationShutdown {
  readonly #tables: LogTables;
  readonly #wakeUps: LogWakeUps;

  constructor(
    @Inject(Database) database: Database,
    @Inject(A2A_TYPEORM_OPTIONS) { pollMs }: Pick<ResolvedTypeOrmOptions, 'pollMs'>,
  ) {
    super();
    const postgres = database.dialect.name === 'postgres';
    this.#tables = postgres ? new PostgresLogTables(database) : new LogTables(database);
    this.#wakeUps = new LogWakeUps(database, this.#tables, pollMs);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#wakeUps.stop();
  }

  override async create(
    taskId: string,
    origin: TaskOrigin,
    command: MessageCommand,
    lease?: LeaseRequest,
  ): Promise<Lease | undefined> {
    const token = lease ? 1 : 0;
    const head = { taskId, origin, sequence: 0, token, lease };
    if (!(await this.#tables.insert(head, recordOf(command)))) throw new TaskLogExistsError(taskId);
    this.#wakeUps.tell(taskId);
    return lease && { taskId, holder: lease.holder, token, found: 'queued' };
  }

  override async restore(
    taskId: string,
    origin: TaskOrigin,
    floor: LogFloor,
    lease: LeaseRequest,
  ): Promise<Lease | undefined> {
    const token = floor.token + 1;
    if (!(await this.#tables.insert({ taskId, origin, sequence: floor.sequence, token, lease })))
      return undefined;
    this.#wakeUps.tell(taskId);
    return { taskId, holder: lease.holder, token, found: 'queued' };
  }

  override async appendCommand(
    taskId: string,
    command: TaskCommand,
    maxPending = Infinity,
  ): Promise<LogHead> {
    const record = recordOf(command);
    const repeated = await this.#repeated(taskId, record);
    if (repeated) return repeated;
    const change = toAppendCommand(this.#tables.clock, command, maxPending);
    let row: HeadRow | undefined;
    try {
      row = await this.#tables.change(taskId, change, record);
    } catch (error) {
      // The same message came in at the same time.
      const other = await this.#repeated(taskId, record);
      if (other) return other;
      throw error;
    }
    if (!row) return (await this.#repeated(taskId, record)) ?? this.#refuse(taskId, maxPending);
    this.#wakeUps.tell(taskId, row.head.sequence);
    return row.head;
  }

  override async append(
    lease: Lease,
    events: readonly LogEvent[],
    { close = false, after = Infinity }: { readonly close?: boolean; readonly after?: number } = {},
  ): Promise<number> {
    const { taskId } = lease;
    const closing = close ? this.#tables.clock.closing(this.#tables.heads) : undefined;
    const change = toAppend(lease, { count: events.length, closing, after });
    const payloads = events.map((event) => JSON.stringify(event));
    const row = await this.#tables.change(taskId, change, { kind: 'event', payloads });
    if (!row) {
      const { lastEvent } = await this.#held(lease);
      if (lastEvent > after) return lastEvent;
      throw new TaskLogClosedError(taskId);
    }
    this.#wakeUps.tell(taskId, row.head.sequence);
    return row.head.sequence;
  }

  override async read(taskId: string, after: number, limit = 256): Promise<readonly LogRecord[]> {
    return this.#tables.read(taskId, after, limit);
  }

  override async head(taskId: string): Promise<LogHead | undefined> {
    return (await this.#tables.head(taskId))?.head;
  }

  override watch(taskId: string, listener: (sequence?: number) => void): () => void {
    return this.#wakeUps.watch(taskId, listener);
  }

  override async withdraw(taskId: string): Promise<boolean> {
    if (!isKey(taskId)) return false;
    return (await this.#remove(sql`task_id = ${taskId} AND token = 0`)) > 0;
  }

  override abandoned(query: AbandonedQuery): Promise<readonly string[]> {
    return this.#tables.abandoned(query);
  }

  override claim(key: string, claim: SendClaim, windowMs: number): Promise<SendClaim> {
    return this.#tables.claim(key, claim, windowMs);
  }

  override async acquire(
    taskId: string,
    request: LeaseRequest,
    takeOver = false,
  ): Promise<Lease | undefined> {
    const row = await this.#tables.change(taskId, toAcquire(this.#tables.clock, request, takeOver));
    return row && { taskId, holder: request.holder, token: row.head.token, found: row.found };
  }

  override async renew(lease: Lease, ttlMs: number): Promise<boolean> {
    const row = await this.#tables.change(lease.taskId, toRenew(this.#tables.clock, lease, ttlMs));
    return row !== undefined;
  }

  override async take(lease: Lease, sequence: number): Promise<number> {
    const row = await this.#tables.change(lease.taskId, toTake(this.#tables.records, lease, sequence));
    if (!row) throw new LeaseLostError(lease.taskId);
    return row.attempt;
  }

  override async release(lease: Lease, runState: RunState, seen: number): Promise<boolean> {
    const row = await this.#tables.change(lease.taskId, toRelease(lease, runState, seen));
    if (!row) return !isHeldBy(await this.#tables.head(lease.taskId), lease);
    this.#wakeUps.tell(lease.taskId);
    return true;
  }

  override async remove(...taskIds: readonly string[]): Promise<void> {
    const ids = taskIds.filter(isKey);
    for (let start = 0; start < ids.length; start += REMOVED_AT_ONCE)
      await this.#remove(sql`task_id IN (${valueList(ids.slice(start, start + REMOVED_AT_ONCE))})`);
  }

  override async prune({ closedBefore, keepClosed, spare }: LogPruneOptions): Promise<void> {
    if (closedBefore !== undefined) {
      const before = fromNow(this.#tables.clock, closedBefore - Date.now());
      await this.#prune(sql`closed_at < ${before}`, spare);
    }
    const above = keepClosed === undefined ? undefined : await this.#tables.closedAbove(keepClosed);
    if (above !== undefined) await this.#prune(sql`closed_at <= ${above}`, spare);
    await this.#tables.forgetClaims();
  }

  /** A closed log that was not given back is needed yet: the last snapshot of its task may be missing. */
  async #prune(closed: Sql, spare?: Spare): Promise<void> {
    const where = sql`${closed} AND holder IS NULL`;
    let after: ClosedLog | undefined;
    do {
      const page = await this.#tables.closed(where, REMOVED_AT_ONCE, after);
      const ids = page.map(({ taskId }) => taskId);
      const spared = new Set(ids.length > 0 ? await spare?.(ids) : []);
      const old = ids.filter((id) => !spared.has(id));
      if (old.length > 0) await this.#remove(sql`task_id IN (${valueList(old)}) AND ${where}`);
      after = page[REMOVED_AT_ONCE - 1];
    } while (after);
  }

  async #remove(where: Sql): Promise<number> {
    const removed = await this.#tables.remove(where, REMOVED_AT_ONCE);
    for (const taskId of removed) this.#wakeUps.tell(taskId);
    return removed.length;
  }

  /** The head with the number of the same message, when it may be there once and is. */
  async #repeated(taskId: string, { once }: NewRecords): Promise<LogHead | undefined> {
    if (once === undefined) return undefined;
    const sequence = await this.#tables.onceAt(taskId, once);
    const head = sequence === undefined ? undefined : await this.head(taskId);
    return head && { ...head, sequence: sequence! };
  }

  async #refuse(taskId: string, maxPending: number): Promise<never> {
    const row = await this.#tables.head(taskId);
    if (!row) throw new TaskLogNotFoundError(taskId);
    if (row.head.closed) throw new TaskLogClosedError(taskId);
    throw new TaskLogFullError(taskId, maxPending);
  }

  async #held(lease: Lease): Promise<HeadRow> {
    const row = await this.#tables.head(lease.taskId);
    if (!row || !isHeldBy(row, lease)) throw new LeaseLostError(lease.taskId);
    return row;
  }
}

function isHeldBy(row: HeadRow | undefined, { token, holder }: Lease): boolean {
  return row?.head.token === token && row.holder === holder;
}

function recordOf(command: TaskCommand): NewRecords {
  const payloads = [JSON.stringify(command)];
  if (command.kind !== 'message' || command.once === undefined) return { kind: command.kind, payloads };
  return { kind: 'message', payloads, once: digestOf(command.message.messageId) };
}
