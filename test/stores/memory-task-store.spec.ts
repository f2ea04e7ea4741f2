import { describe, expect, it } from 'vitest';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { at } from '../contracts/samples.js';
import { describeTaskStore } from '../contracts/describe-task-store.js';

describeTaskStore('memory', () => ({ store: new MemoryTaskStore() }));

describe('MemoryTaskStore', () => {
  it('counts what it keeps', async () => {
    const store = new MemoryTaskStore();
    const scope = { agent: 'agent', tenant: '', owner: 'owner' };
    const status = { state: 'TASK_STATE_COMPLETED', timestamp: at(0) } as const;
    for (const id of ['a', 'b']) await store.save({ ...scope, task: { id, status }, sequence: 1, fence: 1 });
    expect(store.size).toBe(2);
    await store.prune({ keepFinished: 1, limit: 10 });
    expect(store.size).toBe(1);
  });

  it('keeps a task once, whatever state a later snapshot has', async () => {
    const store = new MemoryTaskStore();
    const scope = { agent: 'agent', tenant: '', owner: 'owner' };
    for (const [sequence, state] of (
      ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_WORKING'] as const
    ).entries()) {
      const task = { id: 'a', status: { state, timestamp: at(sequence) } };
      await store.save({ ...scope, task, sequence, fence: 1 });
      expect(store.size).toBe(1);
      expect((await store.list({ ...scope, pageSize: 10 })).records).toMatchObject([{ task }]);
    }
  });
});
