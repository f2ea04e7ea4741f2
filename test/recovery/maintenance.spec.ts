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

/** A task with its log and a webhook, which was told of the end when there is one, and whose status is of the given second. */
async function keep(state: TaskState, second: number): Promise<string> {
  const id = await keepUntold(state, second);
  if (state === 'TASK_STATE_COMPLETED') await tell(id);
  return id;
}

/** Tells a webhook all that there is. */
async function tell(taskId: string): Promise<void> {
  const [delivery] = await pushStore.claim({ holder: 'sender', ttlMs: 60_000, limit: 1, taskIds: [taskId] });
  expect(await pushStore.note(delivery!, { cursor: 2, failures: 0, status: 'done' })).toBe(true);
}

async function keepUntold(state: TaskState, second: number): Promise<string> {
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

  it('leaves what a webhook has yet to be told, and deletes it when that is done', async () => {
    const untold: string[] = [];
    for (let i = 0; i < 450; i++) untold.push(await keepUntold('TASK_STATE_COMPLETED', 1));
    const told = await keep('TASK_STATE_COMPLETED', 2);
    const without = await keepUntold('TASK_STATE_COMPLETED', 3);
    await pushStore.deleteAll(without);
    const maintenance = replica.module.get(A2AMaintenance, { strict: false });
    expect(await maintenance.prune({ olderThan: 0 })).toEqual({ tasks: 2 });
    for (const id of [told, without]) {
      expect(await replicas.store.get(id)).toBeUndefined();
      expect(await replicas.queue.head(id)).toBeUndefined();
    }
    expect([replicas.store.size, replicas.queue.size, pushStore.size]).toEqual([450, 450, 450]);
    await tell(untold[0]!);
    await pushStore.delete(untold[449]!, 'hook');
    expect(await maintenance.prune({ olderThan: 0 })).toEqual({ tasks: 2 });
    expect([replicas.store.size, replicas.queue.size, pushStore.size]).toEqual([448, 448, 448]);
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
