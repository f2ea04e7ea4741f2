import { LuaScript } from './lua-script.js';
import type { RedisRunner } from './redis-runner.js';

/** KEYS: the index. entry, ms from now, XX to move an entry that is there, or an empty string. */
const NOTE = new LuaScript(`
local clock = redis.call('TIME')
local at = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[2])
if ARGV[3] == 'XX' then return redis.call('ZADD', KEYS[1], 'XX', at, ARGV[1]) end
return redis.call('ZADD', KEYS[1], at, ARGV[1])`);

/** KEYS: the index. offset, count → now, entries with their times. */
const OVERDUE = new LuaScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
return {now, redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', ARGV[1], ARGV[2])}`);

/** A log that somebody must look at. */
export interface DueEntry {
  readonly entry: string;
  readonly taskId: string;
  /** The request that made the entry; it stands for the log while the log's head names it. */
  readonly request: string;
  /** Since when it is due, in ms before the index's now. */
  readonly overdueMs: number;
}

/**
 * Which logs somebody must look at, and when: those with a lease when it expires, and those with a command that waits at once.
 * It is a hint, and the log's head is the truth: the two lie in different slots of a cluster, so no script changes both. Whoever brings a log into
 * such a state makes an entry first and names it in the head then. An entry that no head names is left over from a crash in between, or on its way.
 */
export class DueIndex {
  constructor(
    private readonly runner: RedisRunner,
    private readonly key: string,
  ) {}

  /** Makes an entry for a log, due in so many ms by the clock of Redis. */
  async note(taskId: string, request: string, inMs: number): Promise<void> {
    await this.runner.run(NOTE, [this.key], [`${request} ${taskId}`, inMs, '']);
  }

  /** Moves an entry, unless it is gone. */
  async move(taskId: string, request: string, inMs: number): Promise<void> {
    await this.runner.run(NOTE, [this.key], [`${request} ${taskId}`, inMs, 'XX']);
  }

  /** Removes an entry that is needed no more; detached, since one that stays is found to be stale by whoever looks. */
  drop(taskId: string, request: string): void {
    if (request === '') return;
    this.runner.send((client) => client.zrem(this.key, `${request} ${taskId}`)).catch(() => {});
  }

  async overdue(offset: number, count: number): Promise<readonly DueEntry[]> {
    const answer = await this.runner.run(OVERDUE, [this.key], [offset, count]);
    const [now, flat] = answer as [number, string[]];
    return Array.from({ length: flat.length / 2 }, (_, i) => {
      const entry = flat[2 * i]!;
      const space = entry.indexOf(' ');
      return {
        entry,
        request: entry.slice(0, space),
        taskId: entry.slice(space + 1),
        overdueMs: now - Number(flat[2 * i + 1]),
      };
    });
  }
}
