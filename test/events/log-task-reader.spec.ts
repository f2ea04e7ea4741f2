import { expect, it } from 'vitest';
import { LogTaskReader } from '../../lib/events/log-task-reader.js';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { UnavailableError } from '../../lib/protocol/errors.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { messageCommand, originOf } from '../contracts/samples.js';

/** What a caller is told at shutdown whose task has shown nothing yet. */
async function refusal(begun: boolean): Promise<UnavailableError> {
  const queue = new MemoryQueueManager();
  const reader = new LogTaskReader(new MemoryTaskStore(), queue);
  const lease = { holder: 'a worker', ttlMs: 60_000 };
  await queue.create('task', originOf(), messageCommand('hi'), begun ? lease : undefined);
  const closing = new AbortController();
  const options = { after: 1, untilPublished: false, signal: closing.signal };
  const outcome = reader.outcome('task', options).catch((error: unknown) => error);
  if (!begun) expect(await queue.withdraw('task')).toBe(true);
  closing.abort();
  return (await outcome) as UnavailableError;
}

it('tells a caller at shutdown to try again when no run can have begun, and only then', async () => {
  const withdrawn = await refusal(false);
  expect(withdrawn).toBeInstanceOf(UnavailableError);
  expect(withdrawn.retryAfterSeconds).toBeGreaterThan(0);
  const begun = await refusal(true);
  expect(begun).toBeInstanceOf(UnavailableError);
  expect(begun.retryAfterSeconds).toBeUndefined();
});
