import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PushNotificationConfigStore } from '../../lib/interfaces/push-notification-config-store.js';
import type { TaskPushNotificationConfig } from '../../lib/protocol/model.js';
import { unique } from './samples.js';

/** A store under test, and how to let go of it. */
export interface PushNotificationConfigStoreHost {
  readonly store: PushNotificationConfigStore;
  /** The same data through another connection, as another process has it; default: the same store. */
  readonly other?: PushNotificationConfigStore;
  close?(): Promise<void>;
}

/** What every PushNotificationConfigStore promises. */
export function describePushNotificationConfigStore(
  name: string,
  factory: () => PushNotificationConfigStoreHost | Promise<PushNotificationConfigStoreHost>,
): void {
  describe(`PushNotificationConfigStore: ${name}`, () => {
    let host: PushNotificationConfigStoreHost;
    let store: PushNotificationConfigStore;
    let other: PushNotificationConfigStore;
    let taskId: string;

    beforeEach(async () => {
      host = await factory();
      store = host.store;
      other = host.other ?? host.store;
      taskId = unique('task');
    });

    afterEach(() => host.close?.());

    const configOf = (id: string, more: Partial<TaskPushNotificationConfig> = {}) => ({
      taskId,
      id,
      url: 'https://example.com/hook',
      ...more,
    });
    const idsOf = (configs: readonly TaskPushNotificationConfig[]) => configs.map(({ id }) => id);

    it('answers what was set, member by member', async () => {
      const authentication = { scheme: 'Bearer', credentials: 'geheim 😀\u0000' };
      const config = configOf('one', { tenant: 'tenant', token: 'ünïque', authentication });
      await store.set(config);
      expect(await other.get(taskId, 'one')).toEqual(config);
      expect(await other.list(taskId)).toEqual([config]);
    });

    it('answers undefined for what it does not have', async () => {
      await store.set(configOf('one'));
      expect(await store.get(taskId, 'two')).toBeUndefined();
      expect(await store.get(unique('task'), 'one')).toBeUndefined();
      expect(await store.list(unique('task'))).toEqual([]);
    });

    it('lists in the order of creation; what is replaced keeps its place', async () => {
      for (const id of ['c', 'a', 'b']) await store.set(configOf(id));
      await other.set(configOf('a', { token: 'new' }));
      const list = await store.list(taskId);
      expect(idsOf(list)).toEqual(['c', 'a', 'b']);
      expect(list[1]!.token).toBe('new');
    });

    it('deletes one, or all of a task, and is not surprised to find nothing', async () => {
      for (const id of ['a', 'b', 'c']) await store.set(configOf(id));
      const elsewhere = { ...configOf('a'), taskId: unique('task') };
      await store.set(elsewhere);
      await other.delete(taskId, 'b');
      await store.delete(taskId, 'b');
      expect(idsOf(await store.list(taskId))).toEqual(['a', 'c']);
      await store.deleteAll(taskId);
      await store.deleteAll(taskId);
      expect(await other.list(taskId)).toEqual([]);
      expect(await other.list(elsewhere.taskId)).toEqual([elsewhere]);
    });

    it('keeps ids apart that callers may choose to confuse it', async () => {
      const ids = [
        'a',
        'A',
        'a ',
        'ä',
        'a\u0000',
        'a\ud800',
        'a\ud801',
        '',
        "'",
        '%',
        `${'x'.repeat(5_000)}1`,
        `${'x'.repeat(5_000)}2`,
      ];
      for (const id of ids) await store.set(configOf(id));
      expect(idsOf(await other.list(taskId))).toEqual(ids);
      for (const id of ids) expect(await other.get(taskId, id)).toEqual(configOf(id));
      for (const id of ids) await other.delete(taskId, id);
      expect(await store.list(taskId)).toEqual([]);
    });

    it.each(['\u0000', '\ud800', 'x'.repeat(1_000)])('has nothing of a task with the id %j', async (odd) => {
      expect(await store.get(odd, 'a')).toBeUndefined();
      expect(await store.list(odd)).toEqual([]);
      await store.delete(odd, 'a');
      await store.deleteAll(odd);
    });

    it('keeps each of many that are set at once, and one of those with the same id', async () => {
      const ids = Array.from({ length: 20 }, (_, i) => `config ${i % 10}`);
      await Promise.all(ids.map((id, i) => (i % 2 ? store : other).set(configOf(id, { token: String(i) }))));
      const list = await store.list(taskId);
      expect(idsOf(list).toSorted()).toEqual([...new Set(ids)].toSorted());
      for (const { id, token } of list) expect(ids[Number(token)]).toBe(id);
    });
  });
}
