import type { NotificationLedger } from 'nest-a2a';
import { describe, expect, it } from 'vitest';

/** A time after which nothing happens in these tests. */
const LONG = 60_000;
const SHORT = 40;

/** What every NotificationLedger does. @param create makes one without notifications. */
export function describeNotificationLedger(name: string, create: () => NotificationLedger): void {
  describe(`the ledger of notifications ${name}`, () => {
    it('lets one take a notification, and tells others that somebody has', async () => {
      const ledger = create();
      const claims = await Promise.all(Array.from({ length: 10 }, () => ledger.claim('a', LONG)));
      expect(claims.filter((claim) => claim === 'claimed')).toHaveLength(1);
      expect(claims.filter((claim) => claim === 'busy')).toHaveLength(9);
      expect(await ledger.claim('b', LONG)).toBe('claimed');
    });

    it('knows what was handled', async () => {
      const ledger = create();
      await ledger.claim('a', SHORT);
      await ledger.complete('a', LONG);
      expect(await ledger.claim('a', LONG)).toBe('done');
      await new Promise((resolve) => setTimeout(resolve, SHORT * 2));
      expect(await ledger.claim('a', LONG)).toBe('done');
    });

    it('lets a notification be taken at once that was given back', async () => {
      const ledger = create();
      await ledger.claim('a', LONG);
      await ledger.release('a');
      expect(await ledger.claim('a', LONG)).toBe('claimed');
    });

    it('lets one be taken whose handler never ended', async () => {
      const ledger = create();
      await ledger.claim('a', SHORT);
      await expect.poll(() => ledger.claim('a', LONG)).toBe('claimed');
    });

    it('forgets after the time that was asked for', async () => {
      const ledger = create();
      await ledger.claim('a', LONG);
      await ledger.complete('a', SHORT);
      await expect.poll(() => ledger.claim('a', LONG)).toBe('claimed');
    });
  });
}
