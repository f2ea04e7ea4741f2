import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Delivery } from '../../lib/interfaces/push-delivery.js';
import type { PushNotificationConfigStore } from '../../lib/interfaces/push-notification-config-store.js';
import { TypeOrmPushNotificationConfigStore } from '../../lib/typeorm/typeorm-push-notification-config-store.js';
import { TypeOrmTaskStore } from '../../lib/typeorm/typeorm-task-store.js';
import {
  describePushNotificationConfigStore,
  WEBHOOK_SECRET,
} from '../contracts/describe-push-notification-config-store.js';
import { at, unique } from '../contracts/samples.js';
import { pseudoRandom, withFaults } from '../contracts/with-faults.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';
import { recordStatements } from './log/log-processes.js';
import { onEachDatabase } from './on-each-database.js';

allowPlainSecret('store', WEBHOOK_SECRET, 'a store keeps what it is given');

afterEach(() => vi.restoreAllMocks());

onEachDatabase('TypeOrmPushNotificationConfigStore', ({ kind, database, other }) => {
  describePushNotificationConfigStore(kind, () => ({
    store: new TypeOrmPushNotificationConfigStore(database()),
    other: new TypeOrmPushNotificationConfigStore(other()),
  }));

  describePushNotificationConfigStore(`${kind} over a bad line`, () => {
    const line = { latency: () => Math.random() * 4 };
    return {
      store: withFaults(new TypeOrmPushNotificationConfigStore(database()), line),
      other: withFaults(new TypeOrmPushNotificationConfigStore(other()), line),
    };
  });

  it('gives each of 500 deliveries to one of 8 senders, each of which passes over another place in turn', async () => {
    const stores = [database(), other()].map((way) => new TypeOrmPushNotificationConfigStore(way));
    await stores[0]!.claim({ holder: unique('sender'), ttlMs: 60_000, limit: 10_000 });
    const tasks = Array.from({ length: 100 }, () => unique('task'));
    const names: string[] = [];
    for (const taskId of tasks) {
      for (const id of ['a', 'b', 'c', 'd', 'e']) {
        await stores[0]!.set({ taskId, id, url: `https://${id}.example.com` });
        names.push(`${taskId} ${id}`);
      }
    }
    const claimed: Delivery[] = [];
    const end = Date.now() + 30_000;
    let turn = 0;
    const claimAll = async (store: PushNotificationConfigStore): Promise<void> => {
      const holder = unique('sender');
      while (claimed.length < names.length && Date.now() < end) {
        const full = ['a', 'b', 'c', 'd', 'e'][turn++ % 5]!;
        const exceptTo = new Set([`https://${full}.example.com`]);
        const deliveries = await store.claim({ holder, ttlMs: 60_000, limit: 7, exceptTo });
        expect(deliveries.map(({ config }) => config.id)).not.toContain(full);
        claimed.push(...deliveries);
        const noted = deliveries.map((delivery) => store.note(delivery, { failures: 0, status: 'done' }));
        expect(await Promise.all(noted)).not.toContain(false);
        if (claimed.length % 3 === 0) await store.renew(holder, 60_000);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => claimAll(stores[i % 2]!)));
    const found = claimed.map(({ config }) => `${config.taskId} ${config.id}`);
    expect(found.toSorted()).toEqual(names.toSorted());
    expect(new Set(claimed.map(({ holder }) => holder)).size).toBeGreaterThan(1);
    expect(await stores[1]!.openAmong(tasks)).toEqual([]);
  });

  it('has each of 200 deliveries done once by senders whose answers get lost', async () => {
    const stores = [database(), other()].map((way) => new TypeOrmPushNotificationConfigStore(way));
    await stores[0]!.claim({ holder: unique('sender'), ttlMs: 60_000, limit: 10_000 });
    const taskId = unique('task');
    const ids = Array.from({ length: 200 }, (_, i) => `${i}`);
    for (const id of ids) await stores[0]!.set({ taskId, id, url: 'https://example.com' });
    const end = Date.now() + 30_000;
    const done: string[] = [];
    const work = async (n: number): Promise<void> => {
      const random = pseudoRandom(n, 5);
      const loseAnswer = () => (random() === 0 ? new Error('lost') : undefined);
      const store = withFaults(stores[n % 2]!, { loseAnswer });
      const holder = unique('sender');
      while (done.length < ids.length && Date.now() < end) {
        const claimed = await store
          .claim({ holder, ttlMs: 60_000, limit: 5, taskIds: [taskId] })
          .catch(async () => {
            await stores[n % 2]!.release(holder);
            return [];
          });
        for (const delivery of claimed) {
          const note = () => store.note(delivery, { cursor: n, failures: 0, status: 'done' });
          // Told again it is refused, as nobody holds what is done: whether it was, the store knows.
          const noted = await note().catch(() => true);
          if (noted) done.push(delivery.config.id);
        }
      }
    };
    await Promise.all(Array.from({ length: 4 }, (_, n) => work(n)));
    expect(done.toSorted()).toEqual(ids.toSorted());
    expect(await stores[0]!.openAmong([taskId])).toEqual([]);
  });

  it('needs one statement for a note, a renewal and a claim that finds nothing', async () => {
    const way = database();
    const store = new TypeOrmPushNotificationConfigStore(way);
    const taskId = unique('task');
    await store.set({ taskId, id: 'a', url: 'https://example.com' });
    const claim = { holder: unique('sender'), ttlMs: 60_000, limit: 10, taskId };
    const [delivery] = await store.claim(claim);
    const record = recordStatements({ database: way });
    await store.note(delivery!, { cursor: 1, failures: 0, status: 'open' });
    await store.renew(claim.holder, 60_000);
    await store.claim(claim);
    expect(record.statements).toHaveLength(3);
  });

  describe('with its task', () => {
    const finishedTask = (id: string) => ({
      agent: 'agent',
      tenant: '',
      owner: 'owner',
      task: { id, status: { state: 'TASK_STATE_COMPLETED', timestamp: at(0) } } as const,
      sequence: 1,
      fence: 1,
    });

    it('goes when the task is pruned or deleted, and no other does', async () => {
      const tasks = new TypeOrmTaskStore(database());
      const configs = new TypeOrmPushNotificationConfigStore(database());
      const [pruned, deleted, live] = [unique('task'), unique('task'), unique('task')];
      for (const taskId of [pruned, deleted, live]) {
        await configs.set({ taskId, id: 'a', url: 'https://example.com' });
        if (taskId !== live) await tasks.save(finishedTask(taskId));
      }
      await tasks.delete(deleted);
      expect(await tasks.prune({ finishedBefore: at(1), limit: 10 })).toEqual({ ids: [pruned] });
      const left = await Promise.all([pruned, deleted, live].map((id) => configs.list(id)));
      expect(left.map((list) => list.length)).toEqual([0, 0, 1]);
    });
  });
});
