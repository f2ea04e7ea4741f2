import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  placeOf,
  type Delivery,
  type DeliveryClaim,
  type DeliveryState,
} from '../../lib/interfaces/push-delivery.js';
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

/** What the suite has stored. A store keeps what it is given: who gives it has sealed it. */
export const WEBHOOK_SECRET = 's3cr3t-of-a-webhook';

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
      const authentication = { scheme: 'Bearer', credentials: `${WEBHOOK_SECRET} 😀\u0000` };
      const config = configOf('one', { tenant: 'tenant', token: `${WEBHOOK_SECRET} ünïque`, authentication });
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

    describe('what is told', () => {
      /** Names of senders that no other test uses, as what they hold outlives a test. */
      let a: string;
      let b: string;

      beforeEach(() => {
        a = unique('sender');
        b = unique('sender');
      });

      const claim = (holder: string, more: Partial<DeliveryClaim> = {}, by = store) =>
        by.claim({ holder, ttlMs: 60_000, limit: 100, taskIds: [taskId], ...more });
      const claimOne = async (holder: string, more: Partial<DeliveryClaim> = {}, by = store) => {
        const [delivery, ...others] = await claim(holder, more, by);
        expect(others).toEqual([]);
        return delivery!;
      };
      const stateOf = ({ cursor, pending, failures, status }: Delivery) => ({
        cursor,
        pending,
        failures,
        status,
      });
      const namesOf = (deliveries: readonly Delivery[]) => deliveries.map(({ config }) => config.id);
      const open = (state: Partial<DeliveryState> = {}): DeliveryState => ({
        failures: 0,
        status: 'open',
        ...state,
      });

      it('begins with the Task, or after the number that was given', async () => {
        const config = configOf('task', { token: WEBHOOK_SECRET });
        await store.set(config);
        const first = await claimOne(a, {}, other);
        expect(first).toMatchObject({ config, holder: a });
        expect(stateOf(first)).toEqual(open());
        expect('cursor' in first || 'pending' in first).toBe(false);
        await store.set(configOf('all'), 0);
        expect(stateOf(await claimOne(a))).toEqual(open({ cursor: 0 }));
        await store.set(configOf('rest'), 7);
        expect(stateOf(await claimOne(a))).toEqual(open({ cursor: 7 }));
      });

      it('goes to one sender, until that one gives it back', async () => {
        await store.set(configOf('one'));
        const first = await claimOne(a);
        expect(await claim(b, {}, other)).toEqual([]);
        expect(await claim(a)).toEqual([]);
        await store.release(a);
        const second = await claimOne(b, {}, other);
        expect(second.token).toBeGreaterThan(first.token);
      });

      it('gives the oldest first, no more than asked for, and of one task only where that is asked for', async () => {
        for (const id of ['c', 'a', 'b']) await store.set(configOf(id));
        await store.set({ ...configOf('elsewhere'), taskId: unique('task') });
        expect(namesOf(await claim(a, { limit: 2 }))).toEqual(['c', 'a']);
        expect(namesOf(await claim(b, { limit: 2 }))).toEqual(['b']);
      });

      it('gives the oldest first over all tasks', async () => {
        const claimAny = (limit: number) => store.claim({ holder: a, ttlMs: 60_000, limit });
        await claimAny(10_000);
        const tasks = Array.from({ length: 3 }, () => unique('task'));
        for (const [i, task] of tasks.entries()) {
          await store.set({ ...configOf('one'), taskId: task });
          // The order is that of a clock.
          if (i < 2) await new Promise((resolve) => setTimeout(resolve, 2));
        }
        const tasksOf = (deliveries: readonly Delivery[]) => deliveries.map(({ config }) => config.taskId);
        expect(tasksOf(await claimAny(2))).toEqual(tasks.slice(0, 2));
        expect(tasksOf(await claimAny(2))).toEqual(tasks.slice(2));
      });

      it('is taken over from a sender that did not renew', async () => {
        await store.set(configOf('one'));
        const first = await claimOne(a, { ttlMs: 20 });
        const second = await vi.waitUntil(async () => (await claim(b, {}, other))[0]);
        expect(second.token).toBeGreaterThan(first.token);
        expect(await store.note(first, open({ cursor: 1 }))).toBe(false);
        await store.renew(a, 60_000);
        await store.release(a);
        expect(await claim(a)).toEqual([]);
        expect(await other.note(second, open({ cursor: 2 }))).toBe(true);
      });

      it('stays with a sender that renews, all that it holds', async () => {
        for (const id of ['one', 'two']) await store.set(configOf(id));
        expect(await claim(a, { ttlMs: 200 })).toHaveLength(2);
        await store.renew(a, 60_000);
        await store.set(configOf('not renewed'));
        await claimOne(b, { ttlMs: 200 });
        // Claimed later for as long, so it expires last.
        const taken = await vi.waitUntil(async () => (await claim(b, {}, other))[0]);
        expect(taken.config.id).toBe('not renewed');
        expect(await claim(b)).toEqual([]);
      });

      it('goes on where it was noted to be', async () => {
        await store.set(configOf('one'));
        const first = await claimOne(a);
        expect(await store.note(first, open({ cursor: 3, pending: 5, failures: 2 }))).toBe(true);
        await store.release(a);
        const second = await claimOne(b, {}, other);
        expect(stateOf(second)).toEqual(open({ cursor: 3, pending: 5, failures: 2 }));
        expect(await other.note(second, open({ cursor: 5 }))).toBe(true);
        // Again, as its answer may have been lost.
        for (let i = 0; i < 2; i++) expect(await other.note(second, open({ cursor: 9 }))).toBe(true);
        await other.release(b);
        expect(stateOf(await claimOne(a))).toEqual(open({ cursor: 9 }));
      });

      it.each(['done', 'unhealthy'] as const)('is given to nobody once it is %s', async (status) => {
        await store.set(configOf('one'));
        expect(await store.note(await claimOne(a), { cursor: 4, failures: 0, status })).toBe(true);
        await store.release(a);
        expect(await claim(a)).toEqual([]);
        expect(await other.openAmong([taskId])).toEqual([]);
        expect(idsOf(await other.list(taskId))).toEqual(['one']);
      });

      it('is taken from its sender when the config is replaced, and goes on where it was', async () => {
        await store.set(configOf('one'), 1);
        const first = await claimOne(a);
        await store.note(first, open({ cursor: 3, pending: 5, failures: 2 }));
        await other.set(configOf('one', { token: 'new' }), 0);
        expect(await store.note(first, open({ cursor: 5 }))).toBe(false);
        const second = await claimOne(a);
        expect(second.config.token).toBe('new');
        expect(second.token).toBeGreaterThan(first.token);
        expect(stateOf(second)).toEqual(open({ cursor: 3, pending: 5 }));
      });

      it('opens again when a config that had been given up is replaced, and stays done when it was', async () => {
        for (const id of ['given up', 'done']) await store.set(configOf(id));
        for (const delivery of await claim(a)) {
          const status = delivery.config.id === 'done' ? 'done' : 'unhealthy';
          await store.note(delivery, { cursor: 4, pending: 6, failures: 9, status });
        }
        for (const id of ['given up', 'done']) await other.set(configOf(id));
        const reopened = await claimOne(b);
        expect(reopened.config.id).toBe('given up');
        expect(stateOf(reopened)).toEqual(open({ cursor: 4, pending: 6 }));
      });

      it('is over when its config is deleted', async () => {
        for (const id of ['one', 'two']) await store.set(configOf(id));
        const [one, two] = await claim(a);
        await other.delete(taskId, 'one');
        expect(await store.note(one!, open({ cursor: 1 }))).toBe(false);
        expect(await store.note(two!, open({ cursor: 1 }))).toBe(true);
        await other.deleteAll(taskId);
        expect(await store.note(two!, open({ cursor: 2 }))).toBe(false);
        expect(await store.list(taskId)).toEqual([]);
        await store.release(a);
        expect(await claim(b)).toEqual([]);
      });

      it('is another one when a config of the same name is made anew', async () => {
        await store.set(configOf('one'));
        const first = await claimOne(a);
        await store.delete(taskId, 'one');
        await store.set(configOf('one'));
        const second = await claimOne(a);
        expect(await store.note(first, open({ cursor: 1 }))).toBe(false);
        expect(await store.note(second, open({ cursor: 2 }))).toBe(true);
      });

      it('is claimed of as many tasks at once as are named', async () => {
        const tasks = Array.from({ length: 100 }, () => unique('task'));
        await Promise.all(tasks.map((task) => store.set({ ...configOf('one'), taskId: task })));
        await store.set(configOf('not named'));
        const unknown = Array.from({ length: 400 }, () => unique('task'));
        const claimed = await other.claim({
          holder: a,
          ttlMs: 60_000,
          limit: 100,
          taskIds: [...unknown, ...tasks],
        });
        expect(claimed.map(({ config }) => config.taskId).toSorted()).toEqual(tasks.toSorted());
        expect(namesOf(await claim(b))).toEqual(['not named']);
      });

      describe('but for places that are full', () => {
        /** Places that no other test uses, as what leads there outlives a test. */
        let full: { readonly url: string };
        let free: { readonly url: string };
        const except = (...places: readonly { readonly url: string }[]) => ({
          exceptTo: new Set(places.map(placeOf)),
        });

        beforeEach(() => {
          full = { url: `https://${unique('full')}.example.com:8443/hook?of=one` };
          free = { url: `https://${unique('free')}.example.com:8443/hook?of=one` };
        });

        it('is what leads elsewhere; the rest may be claimed later', async () => {
          const samePlace = { url: `${placeOf(full)}/another` };
          await store.set(configOf('full', full));
          await store.set(configOf('free', free));
          await store.set(configOf('same place', samePlace));
          expect(namesOf(await claim(a, except(full), other))).toEqual(['free']);
          expect(await claim(b, except(full, free))).toEqual([]);
          expect(namesOf(await claim(b, except(free)))).toEqual(['full', 'same place']);
        });

        it('is what leads elsewhere over all tasks, and the limit counts only that', async () => {
          await store.claim({ holder: a, ttlMs: 60_000, limit: 10_000 });
          for (const id of ['1', '2', '3'])
            await store.set({ ...configOf(id, full), taskId: unique('task') });
          await store.set(configOf('free', free));
          const claimAny = (exceptTo?: ReadonlySet<string>) =>
            other.claim({ holder: b, ttlMs: 60_000, limit: 2, ...(exceptTo && { exceptTo }) });
          expect(namesOf(await claimAny(except(full).exceptTo))).toEqual(['free']);
          expect(await claimAny(except(full).exceptTo)).toEqual([]);
          expect(namesOf(await claimAny(new Set()))).toEqual(['1', '2']);
          expect(namesOf(await claimAny())).toEqual(['3']);
        });

        it('is what leads to where the config says now', async () => {
          await store.set(configOf('one', full));
          await other.set(configOf('one', free));
          expect(await claim(a, except(free))).toEqual([]);
          const delivery = await claimOne(a, except(full));
          expect(delivery.config.url).toBe(free.url);
          await store.note(delivery, open({ status: 'unhealthy' }));
          await other.set(configOf('one', full));
          expect(await claim(b, except(full))).toEqual([]);
          expect(namesOf(await claim(b, except(free)))).toEqual(['one']);
        });

        it('is not what a sender that did not renew held of them', async () => {
          await store.set(configOf('full', full));
          await store.set(configOf('free', free));
          expect(await claim(a, { ttlMs: 20 })).toHaveLength(2);
          // Both were held equally long.
          const taken = await vi.waitUntil(async () => {
            const claimed = await claim(b, except(full), other);
            return claimed.length > 0 && claimed;
          });
          expect(namesOf(taken)).toEqual(['free']);
          expect(await claim(b, except(full))).toEqual([]);
          expect(namesOf(await claim(b))).toEqual(['full']);
        });

        it('is not what its sender gave back of them', async () => {
          await store.set(configOf('one', full));
          await store.note(await claimOne(a), open({ cursor: 3, failures: 1 }));
          await store.release(a);
          expect(await claim(b, except(full), other)).toEqual([]);
          expect(await claimOne(b, except(free), other)).toMatchObject(open({ cursor: 3, failures: 1 }));
        });

        it.each([
          ['long', `https://${'x'.repeat(300)}1.example.com`, `https://${'x'.repeat(300)}2.example.com`],
          ['odd', 'not a URL', "https://it's.example.com"],
          ['similar', 'https://similar.example.com', 'https://similar.example.com:8443'],
        ])('keeps places apart that are %s', async (_, one, two) => {
          for (const url of [one, two]) await store.set(configOf(url, { url }));
          expect(await claim(a, except({ url: one }, { url: two }))).toEqual([]);
          expect(namesOf(await claim(a, except({ url: one })))).toEqual([two]);
          expect(namesOf(await claim(a, except({ url: two })))).toEqual([one]);
        });

        it('is what leads elsewhere however many are full', async () => {
          const places = Array.from({ length: 1_000 }, (_, i) => ({
            url: `https://${unique(`place${i}`)}.com`,
          }));
          const named = [places[0]!, places[50]!, places[999]!];
          for (const [i, place] of named.entries()) await store.set(configOf(`full ${i}`, place));
          await store.set(configOf('free', free));
          expect(namesOf(await claim(a, except(...places), other))).toEqual(['free']);
          expect(namesOf(await claim(b, except(...places.slice(1))))).toEqual(['full 0']);
          expect(namesOf(await claim(b))).toEqual(['full 1', 'full 2']);
        });
      });

      it('tells the tasks with something open', async () => {
        const [held, done, none] = [unique('task'), unique('task'), unique('task')];
        for (const id of ['one', 'two']) await store.set({ ...configOf(id), taskId: held });
        await store.claim({ holder: a, ttlMs: 60_000, limit: 1, taskIds: [held] });
        await store.set({ ...configOf('one'), taskId: done });
        const [delivery] = await store.claim({ holder: a, ttlMs: 60_000, limit: 1, taskIds: [done] });
        await store.note(delivery!, open({ status: 'done' }));
        await store.set(configOf('one'));
        const odd = ['\u0000', '\ud800', 'x'.repeat(1_000)];
        const among = await other.openAmong([held, done, none, ...odd, taskId]);
        expect(among.toSorted()).toEqual([held, taskId].toSorted());
        expect(await store.openAmong([])).toEqual([]);
        const many = Array.from({ length: 2_000 }, (_, i) => `${none}-${i}`);
        expect(await store.openAmong([...many, taskId])).toEqual([taskId]);
      });

      it('goes to one of those who ask at once', async () => {
        const ids = Array.from({ length: 12 }, (_, i) => `config ${i}`);
        for (const id of ids) await store.set(configOf(id));
        const claims = await Promise.all(
          Array.from({ length: 6 }, (_, i) => claim(unique('sender'), { limit: 3 }, i % 2 ? store : other)),
        );
        expect(claims.every(({ length }) => length <= 3)).toBe(true);
        const rest = await claim(a);
        expect([...claims.flat(), ...rest].map(({ config }) => config.id).toSorted()).toEqual(ids.toSorted());
      });
    });
  });
}
