import { MemoryNotificationLedger } from 'nest-a2a';
import { expect, it } from 'vitest';
import { describeNotificationLedger } from '../contracts/describe-notification-ledger.js';

describeNotificationLedger('in memory', () => new MemoryNotificationLedger());

it('keeps no more than its limit: the oldest go, nothing under way does', async () => {
  const ledger = new MemoryNotificationLedger(3);
  await ledger.claim('busy', 10_000);
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    await ledger.claim(key, 10_000);
    await ledger.complete(key, 10_000);
  }
  expect(ledger.size).toBe(3);
  expect(await ledger.claim('busy', 10_000)).toBe('busy');
  expect(await ledger.claim('c', 10_000)).toBe('done');
  expect(await ledger.claim('b', 10_000)).toBe('claimed');
});
