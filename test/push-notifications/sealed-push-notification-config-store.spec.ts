import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { SealedPushNotificationConfigStore } from '../../lib/push-notifications/sealed-push-notification-config-store.js';
import { SecretBox } from '../../lib/push-notifications/secret-box.js';
import { MemoryPushNotificationConfigStore } from '../../lib/stores/memory-push-notification-config-store.js';
import { describePushNotificationConfigStore } from '../contracts/describe-push-notification-config-store.js';

const keyOf = (id: string) => ({ id, key: randomBytes(32) });
const OLD = keyOf('old');
const NEW = keyOf('new');

describePushNotificationConfigStore('sealed', () => ({
  store: new SealedPushNotificationConfigStore(
    new MemoryPushNotificationConfigStore(),
    new SecretBox({ keys: [OLD] }),
  ),
}));

describe('SealedPushNotificationConfigStore', () => {
  const authentication = { scheme: 'Bearer', credentials: 's3cr3t-1' };
  const CONFIG = { taskId: 't', id: 'a', url: 'https://example.com/hook', token: 's3cr3t-2', authentication };
  const CLAIM = { holder: 'h', ttlMs: 10_000, limit: 10 };
  let inner: MemoryPushNotificationConfigStore;
  const sealedBy = (...keys: (typeof OLD)[]) =>
    new SealedPushNotificationConfigStore(inner, new SecretBox({ keys }));

  beforeEach(() => {
    inner = new MemoryPushNotificationConfigStore();
  });

  it('seals the secrets, and nothing else', async () => {
    await sealedBy(OLD).set(CONFIG);
    const kept = await inner.get('t', 'a');
    expect(JSON.stringify(kept)).not.toContain('s3cr3t-');
    expect(kept).toEqual({
      ...CONFIG,
      token: expect.stringMatching(/^sealed:v1:old:/),
      authentication: { scheme: 'Bearer', credentials: expect.stringMatching(/^sealed:v1:old:/) },
    });
    const bare = { taskId: 't', id: 'b', url: CONFIG.url };
    await sealedBy(OLD).set(bare);
    expect(await inner.get('t', 'b')).toEqual(bare);
  });

  it('opens for get, list and claim, also after the key has changed', async () => {
    await sealedBy(OLD).set(CONFIG, 3);
    const store = sealedBy(NEW, OLD);
    expect(await store.get('t', 'a')).toEqual(CONFIG);
    expect(await store.list('t')).toEqual([CONFIG]);
    const [delivery] = await store.claim(CLAIM);
    expect(delivery).toMatchObject({ config: CONFIG, cursor: 3 });
    expect(await store.note(delivery!, { cursor: 4, failures: 0, status: 'done' })).toBe(true);
    expect(await store.openAmong(['t'])).toEqual([]);
  });

  it('does not open what was moved to another webhook, member or URL', async () => {
    const store = sealedBy(OLD);
    await store.set(CONFIG);
    const kept = (await inner.get('t', 'a'))!;
    const moved = [
      { ...kept, taskId: 'u' },
      { ...kept, id: 'b' },
      { ...kept, url: 'https://evil.example/' },
      { ...kept, token: kept.authentication!.credentials! },
      { ...kept, authentication: { scheme: 'Bearer', credentials: kept.token! } },
    ];
    for (const config of moved) {
      await inner.set(config);
      await expect(store.get(config.taskId, config.id)).rejects.toMatchObject({ reason: 'forged' });
      await expect(store.list(config.taskId)).rejects.toMatchObject({ reason: 'forged' });
      await inner.delete(config.taskId, config.id);
    }
  });

  it('gives up a webhook that no key opens, and delivers the others', async () => {
    const store = sealedBy(OLD);
    await store.set(CONFIG);
    await inner.set({ ...(await inner.get('t', 'a'))!, id: 'forged' });
    const claimed = await store.claim(CLAIM);
    expect(claimed.map(({ config }) => config.id)).toEqual(['a']);
    await store.release('h');
    expect((await inner.claim(CLAIM)).map(({ config }) => config.id)).toEqual(['a']);
  });

  it('leaves one whose key is missing here to a process that has it', async () => {
    await sealedBy(OLD).set(CONFIG);
    const without = sealedBy(NEW);
    expect(await without.claim(CLAIM)).toEqual([]);
    expect(await without.openAmong(['t'])).toEqual(['t']);
    await without.release('h');
    expect(await sealedBy(NEW, OLD).claim(CLAIM)).toMatchObject([{ config: CONFIG }]);
  });
});
