import { LuaScript } from './lua-script.js';
import type { RedisRunner } from './redis-runner.js';

/** KEYS: the index. task id. In microseconds, so that logs which close one after another have an order. */
const NOTE = new LuaScript(`
local clock = redis.call('TIME')
return redis.call('ZADD', KEYS[1], 'NX', clock[1] * 1000000 + clock[2], ARGV[1])`);

/** Which logs are closed, the oldest first. A hint as well: what it names may be gone, or open after all. */
export class ClosedIndex {
  constructor(
    private readonly runner: RedisRunner,
    private readonly key: string,
  ) {}

  async note(taskId: string): Promise<void> {
    await this.runner.run(NOTE, [this.key], [taskId]);
  }

  async drop(taskIds: readonly string[]): Promise<void> {
    if (taskIds.length > 0) await this.runner.send((client) => client.zrem(this.key, ...taskIds));
  }

  /** Those after the first `offset` of them that were closed before a time in ms. */
  before(time: number, offset: number, count: number): Promise<readonly string[]> {
    return this.runner.send((client) =>
      client.zrangebyscore(this.key, '-inf', `(${Math.round(time * 1_000)}`, 'LIMIT', offset, count),
    );
  }

  /** The oldest after the first `offset`. */
  oldest(offset: number, count: number): Promise<readonly string[]> {
    return this.runner.send((client) => client.zrange(this.key, offset, offset + count - 1));
  }

  size(): Promise<number> {
    return this.runner.send((client) => client.zcard(this.key));
  }
}
