import { randomBytes } from 'node:crypto';
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
import type { Spare } from '../interfaces/spare.js';
import { AbandonedLogs } from './abandoned-logs.js';
import { ClosedIndex } from './closed-index.js';
import { DueIndex } from './due-index.js';
import { fromOrigin, toHead, toRecord, type ShownHead, type StreamEntry } from './log-codec.js';
import { LogKeys } from './log-keys.js';
import * as scripts from './log-scripts.js';
import type { LuaScript } from './lua-script.js';
import { RedisConnections } from './redis-connections.js';

/** Bytes that one read answers at most, unless a single record is larger. */
const PAGE_BYTES = 256 * 1024;
/** Logs that are pruned at once. */
const PRUNED_AT_ONCE = 100;

/**
 * Keeps the logs in Redis Streams, for all processes that share it. Each operation on a log is one script, hence atomic, and may be sent again when
 * its answer was lost. Watchers are woken by what the scripts publish.
 *
 * @publicApi
 */
@Injectable()
export class RedisQueueManager extends QueueManager {
  readonly #keys: LogKeys;
  readonly #due: DueIndex;
  readonly #closed: ClosedIndex;
  readonly #abandoned: AbandonedLogs;
  /** With a number it names a request, by which scripts know it again. */
  readonly #sender = randomBytes(9).toString('base64url');
  #requests = 0;

  constructor(private readonly redis: RedisConnections) {
    super();
    const { runner, options } = redis;
    this.#keys = new LogKeys(options.keyPrefix);
    this.#due = new DueIndex(runner, this.#keys.due);
    this.#closed = new ClosedIndex(runner, this.#keys.closed);
    this.#abandoned = new AbandonedLogs(this.#due, (taskId) => this.#run(scripts.INSPECT, taskId, []));
  }

  override async create(
    taskId: string,
    origin: TaskOrigin,
    command: MessageCommand,
    lease?: LeaseRequest,
  ): Promise<Lease | undefined> {
    const request = this.#request();
    await this.#due.note(taskId, request.name, lease?.ttlMs ?? 0);
    const args = [
      fromOrigin(origin),
      JSON.stringify(command),
      onceId(command),
      lease?.holder ?? '',
      lease?.ttlMs ?? 0,
      flag(lease?.keepState),
    ];
    if (!(await this.#run(scripts.CREATE, taskId, args, request))) {
      this.#due.drop(taskId, request.name);
      throw new TaskLogExistsError(taskId);
    }
    return lease && { taskId, holder: lease.holder, token: 1, found: 'queued' };
  }

  override async appendCommand(
    taskId: string,
    command: TaskCommand,
    maxPending = Infinity,
  ): Promise<LogHead> {
    const request = this.#request();
    await this.#due.note(taskId, request.name, 0);
    const args = [command.kind, JSON.stringify(command), onceId(command), finite(maxPending)];
    const answer = await this.#run(scripts.APPEND_COMMAND, taskId, args, request);
    const [outcome, needed, shown] = answer as [string, number?, ShownHead?];
    if (!needed) this.#due.drop(taskId, request.name);
    if (outcome === 'NOT_FOUND') throw new TaskLogNotFoundError(taskId);
    if (outcome === 'CLOSED') throw new TaskLogClosedError(taskId);
    if (outcome === 'FULL') throw new TaskLogFullError(taskId, maxPending);
    return toHead(taskId, shown!);
  }

  override async append(
    { taskId, holder, token }: Lease,
    events: readonly LogEvent[],
    { close = false, after = Infinity }: { readonly close?: boolean; readonly after?: number } = {},
  ): Promise<number> {
    const args = [holder, token, flag(close), finite(after), ...events.map((event) => JSON.stringify(event))];
    const appended = this.#run(scripts.APPEND, taskId, args);
    // A log that the index of closed ones does not know goes when its time has passed.
    const noted = close ? this.#closed.note(taskId).catch(() => {}) : undefined;
    const [[outcome, sequence]] = (await Promise.all([appended, noted])) as [[string, number], unknown];
    if (outcome === 'LOST') throw new LeaseLostError(taskId);
    if (outcome === 'CLOSED') throw new TaskLogClosedError(taskId);
    return sequence;
  }

  override async read(taskId: string, after: number, limit = 256): Promise<readonly LogRecord[]> {
    const [, records] = this.#keys.of(taskId);
    const args = [after, finite(limit), PAGE_BYTES];
    const entries = (await this.redis.runner.run(scripts.READ, [records!], args)) as StreamEntry[];
    return entries.map(toRecord);
  }

  override async head(taskId: string): Promise<LogHead | undefined> {
    const shown = (await this.#run(scripts.SHOW, taskId, [])) as ShownHead | [];
    return shown.length > 0 ? toHead(taskId, shown as ShownHead) : undefined;
  }

  override watch(taskId: string, listener: (sequence?: number) => void): () => void {
    return this.redis.watchers.watch(this.#keys.channel(taskId), listener);
  }

  override async restore(
    taskId: string,
    origin: TaskOrigin,
    floor: LogFloor,
    { holder, ttlMs, keepState }: LeaseRequest,
  ): Promise<Lease | undefined> {
    const request = this.#request();
    await this.#due.note(taskId, request.name, ttlMs);
    const args = [fromOrigin(origin), floor.sequence, floor.token, holder, ttlMs, flag(keepState)];
    if (await this.#run(scripts.RESTORE, taskId, args, request))
      return { taskId, holder, token: floor.token + 1, found: 'queued' };
    this.#due.drop(taskId, request.name);
    return undefined;
  }

  override async withdraw(taskId: string): Promise<boolean> {
    const [withdrawn, stale] = (await this.#run(scripts.WITHDRAW, taskId, [])) as [number, string];
    this.#due.drop(taskId, stale);
    return withdrawn === 1;
  }

  override abandoned(query: AbandonedQuery): Promise<readonly string[]> {
    return this.#abandoned.find(query);
  }

  override async claim(key: string, claim: SendClaim, windowMs: number): Promise<SendClaim> {
    const args = [JSON.stringify(claim), Math.max(1, Math.ceil(windowMs))];
    const standing = await this.redis.runner.run(scripts.CLAIM, [this.#keys.claim(key)], args);
    return JSON.parse(standing as string) as SendClaim;
  }

  override async acquire(
    taskId: string,
    { holder, ttlMs, keepState }: LeaseRequest,
    takeOver = false,
  ): Promise<Lease | undefined> {
    const request = this.#request();
    await this.#due.note(taskId, request.name, ttlMs);
    const args = [holder, ttlMs, flag(takeOver), flag(keepState)];
    const answer = await this.#run(scripts.ACQUIRE, taskId, args, request);
    const [token, found, stale = ''] = answer as [number?, RunState?, string?];
    this.#due.drop(taskId, token === undefined ? request.name : stale);
    return token === undefined ? undefined : { taskId, holder, token, found: found! };
  }

  override async renew({ taskId, holder, token }: Lease, ttlMs: number): Promise<boolean> {
    const answer = await this.#run(scripts.RENEW, taskId, [holder, token, ttlMs]);
    const [renewed, earlier] = answer as [number, string];
    // An entry that comes up too early is moved by whoever looks at it.
    if (earlier) await this.#due.move(taskId, earlier, ttlMs);
    return renewed === 1;
  }

  override async take({ taskId, holder, token }: Lease, sequence: number): Promise<number> {
    const attempt = (await this.#run(scripts.TAKE, taskId, [holder, token, sequence])) as number;
    if (attempt === 0) throw new LeaseLostError(taskId);
    return attempt;
  }

  override async release(
    { taskId, holder, token }: Lease,
    runState: RunState,
    seen: number,
  ): Promise<boolean> {
    const answer = await this.#run(scripts.RELEASE, taskId, [holder, token, runState, finite(seen)]);
    const [released, stale, due] = answer as [number, string, string];
    this.#due.drop(taskId, stale);
    // Something waits, and the entry of the lease now stands for that.
    if (due) await this.#due.move(taskId, due, 0);
    return released === 1;
  }

  override async remove(...taskIds: readonly string[]): Promise<void> {
    for (let i = 0; i < taskIds.length; i += PRUNED_AT_ONCE) {
      const some = taskIds.slice(i, i + PRUNED_AT_ONCE);
      const stale = await Promise.all(some.map((taskId) => this.#run(scripts.REMOVE, taskId, [])));
      some.forEach((taskId, at) => this.#due.drop(taskId, stale[at] as string));
      await this.#closed.drop(some);
    }
  }

  /** What is spared is kept for as long again as Redis keeps finished logs by itself. */
  override async prune({ closedBefore, keepClosed, spare }: LogPruneOptions): Promise<void> {
    if (closedBefore !== undefined) {
      const page: Page = (offset, count) => this.#closed.before(closedBefore, offset, count);
      await this.#prune(page, closedBefore, spare);
    }
    if (keepClosed === undefined || !Number.isFinite(keepClosed)) return;
    let excess = (await this.#closed.size()) - keepClosed;
    const page: Page = async (offset, count) => {
      if (excess <= 0) return [];
      const some = await this.#closed.oldest(offset, Math.min(count, excess));
      excess -= some.length;
      return some;
    };
    await this.#prune(page, Infinity, spare);
  }

  /** Forgets the logs that pages of the index name, if they are closed and not spared. */
  async #prune(page: Page, closedBefore: number, spare?: Spare): Promise<void> {
    for (let offset = 0; ;) {
      const ids = await page(offset, PRUNED_AT_ONCE);
      if (ids.length === 0) return;
      const spared = new Set(await spare?.(ids));
      const args = [finite(closedBefore)];
      const gone = await Promise.all(
        ids.map((taskId) =>
          spared.has(taskId)
            ? this.#run(scripts.KEEP, taskId, [])
            : this.#run(scripts.FORGET_CLOSED, taskId, args),
        ),
      );
      await this.#closed.drop(ids.filter((_, i) => gone[i] === 1));
      offset += gone.filter((forgotten) => forgotten !== 1).length;
    }
  }

  #request(): Request {
    const number = ++this.#requests;
    return { number, name: `${this.#sender}.${number}` };
  }

  #run(
    script: LuaScript,
    taskId: string,
    args: readonly (string | number)[],
    { number }: Request = this.#request(),
  ): Promise<unknown> {
    const { activeTtlMs, finishedTtlMs } = this.redis.options;
    const common = [this.#keys.channel(taskId), activeTtlMs, finishedTtlMs, this.#sender, number];
    return this.redis.runner.run(script, this.#keys.of(taskId), [...common, ...args]);
  }
}

/** Some of the closed logs, after the first `offset`. */
type Page = (offset: number, count: number) => Promise<readonly string[]>;

interface Request {
  readonly number: number;
  readonly name: string;
}

function onceId(command: TaskCommand): string {
  return command.kind === 'message' && command.once !== undefined ? command.message.messageId : '';
}

function flag(on = false): string {
  return on ? '1' : '0';
}

/** Scripts know no infinity. */
function finite(number: number): number {
  return Math.min(number, Number.MAX_SAFE_INTEGER);
}
