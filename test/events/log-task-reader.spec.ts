import { describe, expect, it } from 'vitest';
import { LogTaskReader } from '../../lib/events/log-task-reader.js';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { at, chunkEvent, originOf, statusEvent } from '../contracts/samples.js';

const A = { holder: 'a', ttlMs: 60_000 };

describe('a task whose log begins after its snapshot ends', () => {
  it('is read as well as can be, and not for ever', async () => {
    const queue = new MemoryQueueManager();
    const store = new MemoryTaskStore();
    let reads = 0;
    const get = store.get.bind(store);
    store.get = (...args) => {
      reads += 1;
      return get(...args);
    };
    const status = { state: 'TASK_STATE_SUBMITTED' as const, timestamp: at(0) };
    await store.save({ ...originOf(), task: { id: 'task', status }, sequence: 2, fence: 1 });
    const lease = await queue.restore('task', originOf(), { sequence: 40, token: 1 }, A);
    await queue.append(lease!, [statusEvent('task', 'TASK_STATE_WORKING'), chunkEvent('task', 'more')]);
    const record = (await new LogTaskReader(store, queue).get('task'))!;
    expect(record).toMatchObject({ sequence: 42, task: { status: { state: 'TASK_STATE_WORKING' } } });
    expect(reads).toBe(3);
  });

  it('is read again when a newer snapshot was saved in between', async () => {
    const queue = new MemoryQueueManager();
    const store = new MemoryTaskStore();
    const snapshot = (state: 'TASK_STATE_SUBMITTED' | 'TASK_STATE_WORKING', sequence: number) =>
      store.save({
        ...originOf(),
        task: { id: 'task', status: { state, timestamp: at(0) } },
        sequence,
        fence: 1,
      });
    await snapshot('TASK_STATE_SUBMITTED', 2);
    const lease = await queue.restore('task', originOf(), { sequence: 40, token: 1 }, A);
    await queue.append(lease!, [chunkEvent('task', 'more')]);
    const read = queue.read.bind(queue);
    queue.read = async (...args) => {
      const records = await read(...args);
      await snapshot('TASK_STATE_WORKING', 40);
      return records;
    };
    const record = (await new LogTaskReader(store, queue).get('task'))!;
    expect(record).toMatchObject({ sequence: 41, task: { status: { state: 'TASK_STATE_WORKING' } } });
    expect(record.task.artifacts).toHaveLength(1);
  });
});
