import { describe, expect, it } from 'vitest';
import { TypeOrmPushNotificationConfigStore } from '../../lib/typeorm/typeorm-push-notification-config-store.js';
import { TypeOrmTaskStore } from '../../lib/typeorm/typeorm-task-store.js';
import { describePushNotificationConfigStore } from '../contracts/describe-push-notification-config-store.js';
import { at, unique } from '../contracts/samples.js';
import { withFaults } from '../contracts/with-faults.js';
import { onEachDatabase } from './on-each-database.js';

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
      expect(await tasks.prune({ finishedBefore: at(1) })).toEqual([pruned]);
      const left = await Promise.all([pruned, deleted, live].map((id) => configs.list(id)));
      expect(left.map((list) => list.length)).toEqual([0, 0, 1]);
    });
  });
});
