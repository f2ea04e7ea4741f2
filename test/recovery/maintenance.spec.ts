import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { A2AMaintenance } from '../../lib/execution/maintenance.js';
import type { TaskState } from '../../lib/protocol/model.js';
import { MemoryPushNotificationConfigStore } from '../../lib/stores/memory-push-notification-config-store.js';
import { at, messageCommand, originOf, statusEvent, unique } from '../contracts/samples.js';
import { Replicas, agentThat, type Replica } from './replicas.js';

const A = { holder: 'a', ttlMs: 60_000 };

let replicas: Replicas;
let replica: Replica;
let other: Replica;
let pushStore: MemoryPushNotificationConfigStore;

beforeEach(async () => {
  replicas = new Replicas();
  pushStore = new MemoryPushNotificationConfigStore();
  const agent = agentThat('fail', ({ updater }) => updater.complete());
  const options = { pushNotificationConfigStore: pushStore, push: { send: false } };
  [replica, other] = [await replicas.start(agent, options), await replicas.start(agent, options)];
});

afterEach(() => replicas.close());

/** A task with its log and a webhook, whose status is of the given second. */
async function keep(state: TaskState, second: number): Promise<string> {
  const id = unique('task');
  const status = { state, timestamp: at(second) };
  const close = state === 'TASK_STATE_COMPLETED';
  const lease = await replicas.queue.create(id, originOf(), messageCommand('first'), A);
  await replicas.queue.append(lease!, [statusEvent(id, state)], { close });
  await replicas.queue.release(lease!, close ? 'ended' : 'detached', 2);
  await replicas.store.save({ ...originOf(), task: { id, status }, sequence: 2, fence: 1 });
  await pushStore.set({ taskId: id, id: 'hook', url: 'https://example.com' });
  return id;
}

describe('A2AMaintenance.prune()', () => {
  it('deletes finished tasks, their logs and webhooks, and live ones never', async () => {
    const old = await keep('TASK_STATE_COMPLETED', 1);
    const recent = await keep('TASK_STATE_COMPLETED', 50);
    const live = await keep('TASK_STATE_WORKING', 0);
    const maintenance = replica.module.get(A2AMaintenance, { strict: false });
    expect(await maintenance.prune({ olderThan: new Date(at(50)) })).toEqual({ tasks: 1 });
    for (const [id, there] of [
      [old, false],
      [recent, true],
      [live, true],
    ] as const) {
      expect((await replicas.store.get(id)) !== undefined).toBe(there);
      expect((await replicas.queue.head(id)) !== undefined).toBe(there);
      expect(await pushStore.list(id)).toHaveLength(there ? 1 : 0);
    }
  });

  it('takes an age in ms, and refuses what is no time', async () => {
    await keep('TASK_STATE_COMPLETED', 1);
    const maintenance = replica.module.get(A2AMaintenance, { strict: false });
    expect(await maintenance.prune({ olderThan: Date.now() - Date.parse(at(0)) })).toEqual({ tasks: 0 });
    expect(await maintenance.prune({ olderThan: 0 })).toEqual({ tasks: 1 });
    await expect(maintenance.prune({ olderThan: Number.NaN })).rejects.toThrow(RangeError);
    await expect(maintenance.prune({ olderThan: new Date('never') })).rejects.toThrow(RangeError);
  });

  it('deletes as many as there are, each once, on two processes at once', async () => {
    for (let i = 0; i < 1_201; i++) await keep('TASK_STATE_COMPLETED', i % 60);
    const live = await keep('TASK_STATE_INPUT_REQUIRED', 0);
    const results = await Promise.all(
      [replica, other].map(({ module }) =>
        module.get(A2AMaintenance, { strict: false }).prune({ olderThan: 1_000 }),
      ),
    );
    expect(results.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(1_201);
    expect([replicas.store.size, replicas.queue.size, pushStore.size]).toEqual([1, 1, 1]);
    expect(await replicas.store.get(live)).toBeDefined();
  });
});
