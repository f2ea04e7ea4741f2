import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLATFORMS, serve } from '../docs/serve.js';
import { Inbox, notify, reasonOf, receiver, statusUpdate, TOKEN } from './harness.js';

const header = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('hmac-sha256 k AAAA', 'jws e30..e30', 'jws ..', ',,,', '0', '99999999999999'),
);
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((json) => Buffer.from(json)),
  // null would be as if it were absent, and leave a good notification.
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify({ ...statusUpdate(), task: value ?? 0 }))),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify({ statusUpdate: { status: value } }))),
);
const request = fc.record({
  body,
  type: fc.constantFrom('application/a2a+json', 'application/json', 'text/plain', 'x', ''),
  id: header,
  timestamp: fc.oneof(header, fc.constant(String(Math.floor(Date.now() / 1_000)))),
  signature: header,
});

const CHECKS = {
  'a token': { token: TOKEN },
  signatures: {
    token: TOKEN,
    signature: {
      url: 'https://app.example.com',
      hmac: [{ kid: 'k', secret: randomBytes(32) }],
      jwks: { keys: [] },
    },
  },
};

describe.each(PLATFORMS)('junk at a webhook on %s', (platform) => {
  it.each(Object.entries(CHECKS))(
    'that checks %s: is refused, and never a fault of ours',
    async (_what, checks) => {
      await using served = await serve(platform, receiver(checks));
      await fc.assert(
        fc.asyncProperty(request, async ({ body: bytes, type, id, timestamp, signature }) => {
          const answer = await notify(served.base, bytes, {
            'content-type': type,
            'x-a2a-notification-id': id,
            'x-a2a-notification-timestamp': timestamp,
            'x-a2a-notification-signature': signature,
          });
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.status).toBeLessThan(500);
          expect(reasonOf(answer)).toBeTruthy();
        }),
        { numRuns: 150 },
      );
      expect(served.app.get(Inbox).arrived).toEqual([]);
    },
    60_000,
  );
});
