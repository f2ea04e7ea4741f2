import { MemoryNotificationLedger } from 'nest-a2a';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

describe('the ledger in memory', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('knows what is under way, what is done and what was given back', async () => {
    const ledger = new MemoryNotificationLedger();
    expect(await ledger.claim('a')).toBe('claimed');
    expect(await ledger.claim('a')).toBe('busy');
    await ledger.release('a');
    expect(await ledger.claim('a')).toBe('claimed');
    await ledger.complete('a', 1_000);
    expect(await ledger.claim('a')).toBe('done');
  });

  it('forgets after the time that was asked for', async () => {
    const ledger = new MemoryNotificationLedger();
    await ledger.claim('a');
    await ledger.complete('a', 1_000);
    vi.advanceTimersByTime(999);
    expect(await ledger.claim('a')).toBe('done');
    vi.advanceTimersByTime(1);
    expect(await ledger.claim('a')).toBe('claimed');
  });

  it('keeps no more than its limit: the oldest go, nothing under way does', async () => {
    const ledger = new MemoryNotificationLedger(3);
    await ledger.claim('busy');
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      await ledger.claim(key);
      await ledger.complete(key, 1_000);
    }
    expect(ledger.size).toBe(3);
    expect(await ledger.claim('busy')).toBe('busy');
    expect(await ledger.claim('c')).toBe('done');
    expect(await ledger.claim('b')).toBe('claimed');
  });
});
