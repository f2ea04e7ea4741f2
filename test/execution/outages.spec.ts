import { afterEach, describe, expect, it } from 'vitest';
import type { QueueManager } from '../../lib/interfaces/queue-manager.js';
import type { TaskStore } from '../../lib/interfaces/task-store.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { withFaults } from '../contracts/with-faults.js';
import { CountingQueueManager, plainAgent, readUntil, startAgent, to, type AgentHost } from './agent-host.js';
import { gate } from './writer-harness.js';

let host: AgentHost;
/** Methods of log and store that fail now. */
let broken: string[];

async function start(execute: Parameters<typeof plainAgent>[0]): Promise<CountingQueueManager> {
  broken = [];
  const fail = (method: string): Error | undefined =>
    broken.includes(method) ? new Error('connection reset') : undefined;
  const queue = new CountingQueueManager();
  host = await startAgent(plainAgent(execute), {
    queueManager: withFaults<QueueManager>(queue, { fail }),
    taskStore: withFaults<TaskStore>(new MemoryTaskStore(), { fail }),
  });
  return queue;
}

afterEach(async () => {
  broken = [];
  await host.close();
});

describe('when the log cannot be written', () => {
  it('the executor is told, its run ends, the log says why, and the lease is left to expire', async () => {
    const go = gate();
    let told: unknown;
    let aborted = false;
    const queue = await start(async ({ updater, signal }) => {
      await updater.startWork();
      await go.opened;
      told = await updater.complete().catch((error: unknown) => error);
      aborted = signal.aborted;
    });
    const stream = await host.stream('hi');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    stream.close();
    broken = ['append'];
    go.open();
    await expect.poll(() => told).toMatchObject({ message: 'connection reset' });
    expect(aborted).toBe(true);
    await expect.poll(() => queue.watchers).toBe(0);
    const { id } = opening!.event.task!;
    const head = (await queue.head(id))!;
    expect(head).toMatchObject({ closed: false, runState: 'running' });
    expect(head.holder).toBeDefined();
    expect(host.log.lines.some(({ level, text }) => level === 'error' && text.includes(id))).toBe(true);
  });
});

describe('when the store cannot be read', () => {
  it('a follow-up fails, and its message runs with the next one', async () => {
    const queue = await start(({ updater, userInput }) =>
      userInput === 'done' ? updater.complete() : updater.requiresInput(),
    );
    const { id } = await host.send('first');
    await expect.poll(async () => (await queue.head(id))!.holder).toBeUndefined();
    broken = ['read'];
    await expect(host.send(to(id, 'second'))).rejects.toThrow('connection reset');
    broken = [];
    const task = await host.send(to(id, 'done'));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('when the store cannot be written', () => {
  it('the task is answered all the same, as the log has it', async () => {
    const queue = await start(({ updater }) => updater.complete());
    broken = ['save'];
    const { id, status } = await host.send('first');
    expect(status.state).toBe('TASK_STATE_COMPLETED');
    expect(await host.get(id)).toMatchObject({ status });
    await expect.poll(() => queue.watchers).toBe(0);
    // The snapshot is not saved, so the lease is not given back.
    expect((await queue.head(id))!.holder).toBeDefined();
  });
});
