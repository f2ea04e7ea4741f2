import { Injectable } from '@nestjs/common';
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
} from '../interfaces/queue-manager.js';
import { MemoryClaims } from './memory-claims.js';
import { MemoryLog } from './memory-log.js';

/** Logs that are pruned at once. */
const PRUNED_AT_ONCE = 500;

/** Keeps the logs in the memory of this process. Every method does its work in one step, so each is atomic. */
@Injectable()
export class MemoryQueueManager extends QueueManager {
  readonly #logs = new Map<string, MemoryLog>();
  /** Closed logs in the order in which they were closed. */
  readonly #closed = new Set<MemoryLog>();

  readonly #claims = new MemoryClaims();

  override get volatile(): boolean {
    return true;
  }

  /** Logs that are kept. */
  get size(): number {
    return this.#logs.size;
  }

  override async create(
    taskId: string,
    origin: TaskOrigin,
    command: MessageCommand,
    request?: LeaseRequest,
  ): Promise<Lease | undefined> {
    if (this.#logs.has(taskId)) throw new TaskLogExistsError(taskId);
    const log = new MemoryLog(taskId, origin);
    this.#logs.set(taskId, log);
    log.addCommand(command);
    return request && lend(log, request);
  }

  override async appendCommand(
    taskId: string,
    command: TaskCommand,
    maxPending = Infinity,
  ): Promise<LogHead> {
    const repeated = this.#logs.get(taskId)?.repeated(command);
    if (repeated !== undefined) return { ...this.#logs.get(taskId)!.head(Date.now()), sequence: repeated };
    const log = this.#open(taskId);
    if (command.kind === 'message' && log.pending >= maxPending)
      throw new TaskLogFullError(taskId, maxPending);
    log.addCommand(command);
    // A detached task runs no more: the message only joins the history.
    if (log.runState === 'detached') log.take(log.sequence);
    log.wake();
    return log.head(Date.now());
  }

  override async append(
    lease: Lease,
    events: readonly LogEvent[],
    { close = false, after = Infinity }: { readonly close?: boolean; readonly after?: number } = {},
  ): Promise<number> {
    const log = this.#leased(lease);
    if (log.lastEvent > after) return log.lastEvent;
    if (log.closed) throw new TaskLogClosedError(lease.taskId);
    const sequence = log.addEvents(events);
    if (close) {
      log.close();
      this.#closed.add(log);
    }
    log.wake();
    return sequence;
  }

  override async read(taskId: string, after: number, limit = 256): Promise<readonly LogRecord[]> {
    return this.#logs.get(taskId)?.after(after, limit) ?? [];
  }

  override async head(taskId: string): Promise<LogHead | undefined> {
    return this.#logs.get(taskId)?.head(Date.now());
  }

  override watch(taskId: string, listener: (sequence?: number) => void): () => void {
    return this.#logs.get(taskId)?.watch(listener) ?? (() => {});
  }

  override async acquire(
    taskId: string,
    request: LeaseRequest,
    takeOver = false,
  ): Promise<Lease | undefined> {
    const log = this.#logs.get(taskId);
    if (!log) return undefined;
    const held = log.isHeld(Date.now());
    if (log.closed ? held || log.holder === undefined : held && !takeOver) return undefined;
    return lend(log, request);
  }

  override async renew(lease: Lease, ttlMs: number): Promise<boolean> {
    const log = this.#logs.get(lease.taskId);
    if (!log || !holds(log, lease)) return false;
    log.leaseExpiresAt = Date.now() + ttlMs;
    return true;
  }

  override async take(lease: Lease, sequence: number): Promise<number> {
    return this.#leased(lease).take(sequence);
  }

  override async release(lease: Lease, runState: RunState, seen: number): Promise<boolean> {
    const log = this.#logs.get(lease.taskId);
    if (!log || !holds(log, lease)) return true;
    if ((runState === 'parked' || runState === 'queued') && log.lastCommand > seen) return false;
    log.holder = undefined;
    log.runState = log.closed ? 'ended' : runState;
    if (log.runState === 'detached') log.take(log.sequence);
    log.wake();
    return true;
  }

  override async restore(
    taskId: string,
    origin: TaskOrigin,
    floor: LogFloor,
    request: LeaseRequest,
  ): Promise<Lease | undefined> {
    if (this.#logs.has(taskId)) return undefined;
    const log = new MemoryLog(taskId, origin, floor);
    this.#logs.set(taskId, log);
    return lend(log, request);
  }

  override async withdraw(taskId: string): Promise<boolean> {
    const log = this.#logs.get(taskId);
    if (!log?.untouched) return false;
    this.#drop(log);
    return true;
  }

  override async abandoned({ queuedBefore, limit }: AbandonedQuery): Promise<readonly string[]> {
    const now = Date.now();
    const ids: string[] = [];
    for (const log of this.#logs.values()) {
      if (ids.length >= limit) break;
      if (log.isAbandoned(now, queuedBefore)) ids.push(log.taskId);
    }
    return ids;
  }

  override async claim(key: string, claim: SendClaim, windowMs: number): Promise<SendClaim> {
    return this.#claims.claim(key, claim, windowMs);
  }

  override async remove(...taskIds: readonly string[]): Promise<void> {
    for (const taskId of taskIds) {
      const log = this.#logs.get(taskId);
      if (log) this.#drop(log);
    }
  }

  override async prune({ closedBefore = 0, keepClosed = Infinity, spare }: LogPruneOptions): Promise<void> {
    const excess = this.#closed.size - keepClosed;
    const old = [...this.#closed].filter((log, i) => i < excess || log.closedAt! < closedBefore);
    for (let start = 0; start < old.length; start += PRUNED_AT_ONCE) {
      const some = old.slice(start, start + PRUNED_AT_ONCE);
      const spared = new Set(await spare?.(some.map(({ taskId }) => taskId)));
      for (const log of some) if (!spared.has(log.taskId) && this.#closed.has(log)) this.#drop(log);
    }
  }

  #drop(log: MemoryLog): void {
    this.#logs.delete(log.taskId);
    this.#closed.delete(log);
    log.wake();
  }

  #open(taskId: string): MemoryLog {
    const log = this.#logs.get(taskId);
    if (!log) throw new TaskLogNotFoundError(taskId);
    if (log.closed) throw new TaskLogClosedError(taskId);
    return log;
  }

  #leased(lease: Lease): MemoryLog {
    const log = this.#logs.get(lease.taskId);
    if (!log || !holds(log, lease)) throw new LeaseLostError(lease.taskId);
    return log;
  }
}

/** An expired lease that nobody took is still its holder's: this process was only slow. */
function holds(log: MemoryLog, lease: Lease): boolean {
  return log.token === lease.token && log.holder === lease.holder;
}

function lend(log: MemoryLog, { holder, ttlMs, keepState = false }: LeaseRequest): Lease {
  const found = log.runState;
  log.token += 1;
  log.holder = holder;
  log.leaseExpiresAt = Date.now() + ttlMs;
  if (!keepState) log.runState = 'running';
  return { taskId: log.taskId, holder, token: log.token, found };
}
