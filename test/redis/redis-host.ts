import { RedisConnections, RedisQueueManager, type A2ARedisOptions } from 'nest-a2a/redis';
import type { LogRecord, QueueManager } from '../../lib/interfaces/queue-manager.js';
import { unique } from '../contracts/samples.js';
import { removeKeys } from '../support/redis-keys.js';
import { redisUrl } from '../support/servers.js';

/** Two managers with connections of their own, as two processes have them, under a prefix that nobody else uses. */
export interface TwoManagers {
  readonly queue: RedisQueueManager;
  readonly other: RedisQueueManager;
  readonly prefix: string;
  close(): Promise<void>;
}

export async function twoManagers(options: A2ARedisOptions = {}): Promise<TwoManagers> {
  const prefix = unique('a2a-test');
  const given: A2ARedisOptions = { url: redisUrl(), keyPrefix: prefix, ...options };
  const [mine, others] = await Promise.all([RedisConnections.open(given), RedisConnections.open(given)]);
  return {
    queue: new RedisQueueManager(mine),
    other: new RedisQueueManager(others),
    prefix,
    close: async () => {
      await Promise.all([mine.close(), others.close()]);
      await removeKeys(prefix);
    },
  };
}

/** Reads a log as a stream does, which looks and then waits to be woken, up to the event that closes it. */
export async function readUntilClosed(queue: QueueManager, id: string): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  const cursor = (): number => all.at(-1)?.sequence ?? 0;
  let changed = true;
  let wake = (): void => {};
  const unwatch = queue.watch(id, (sequence = Infinity) => {
    changed ||= sequence > cursor();
    if (changed) wake();
  });
  for (;;) {
    if (!changed) await new Promise<void>((resolve) => (wake = resolve));
    changed = false;
    all.push(...(await queue.read(id, cursor())));
    const last = all.at(-1)?.event;
    if (last && 'statusUpdate' in last) break;
  }
  unwatch();
  return all;
}
