import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeNotificationLedger } from '../contracts/describe-notification-ledger.js';
import { describeWithServer, redisUrl, uniqueName } from '../support/servers.js';
import { notify, statusUpdate } from '../webhooks/harness.js';
import { PLATFORMS, serve } from './serve.js';
import { exportsOf } from './snippets.js';

let guide: any;
beforeAll(async () => {
  guide = await exportsOf('webhooks');
});

describe.each(PLATFORMS)('the guide to webhooks, on %s', (platform) => {
  it('shows an application that is told of its orders', async () => {
    await using served = await serve(platform, guide.AppModule);
    const right = { 'x-a2a-notification-token': 'the token of the config' };
    expect((await notify(served.base, statusUpdate(), {}, '/webhooks/a2a')).status).toBe(401);
    expect((await notify(served.base, statusUpdate(), right, '/webhooks/a2a')).status).toBe(204);
    expect(served.app.get(guide.OrderUpdates).news).toEqual(['t1: TASK_STATE_WORKING']);
  });

  it('shows tokens for each config, and tasks that are not known yet', async () => {
    class RootModule {}
    await using served = await serve(platform, { module: RootModule, imports: [guide.Webhook] });
    const { tokens, tasks } = served.app.get(guide.Subscriptions, { strict: false });
    const status = async () => {
      const headers = { 'x-a2a-notification-token': 'one' };
      return (await notify(served.base, statusUpdate(), headers, '/by-token')).status;
    };
    expect(await status()).toBe(401);
    tokens.add('one');
    expect(await status()).toBe(503);
    tasks.set('t1', 'refused');
    expect(await status()).toBe(403);
    tasks.set('t1', 'expected');
    expect(await status()).toBe(204);
  });
});

describeWithServer('the ledger of the guide to webhooks', 'redis', () => {
  let redis: Redis;
  beforeAll(() => {
    redis = new Redis(redisUrl());
  });
  afterAll(() => redis.disconnect());

  // Keys that nobody else has; they expire by themselves.
  const prefixed = (prefix: string) => ({
    set: (key: string, value: string, ...options: never[]) => redis.set(prefix + key, value, ...options),
    del: (key: string) => redis.del(prefix + key),
  });
  describeNotificationLedger('in Redis', () => new guide.RedisLedger(prefixed(uniqueName('ledger'))));
});
