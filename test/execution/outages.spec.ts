import { afterEach, describe, expect, it } from 'vitest';
import { endsLog } from '../../lib/execution/log-event.js';
import type { QueueManager } from '../../lib/interfaces/queue-manager.js';
import type { TaskStore } from '../../lib/interfaces/task-store.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { withFaults } from '../contracts/with-faults.js';
import { CountingQueueManager, plainAgent, readUntil, startAgent, to, type AgentHost } from './agent-host.js';
import { gate } from './writer-harness.js';

/** For so long the log is waited for. */
const TTL = 600;
const IN_TIME = { timeout: 10_000, interval: 10 };

let host: AgentHost;
let store: MemoryTaskStore;
/** Methods of log and store that fail now. */
let broken: string[];
/** Errors instead of a call, and instead of its answer. */
let failing: (method: string) => Error | undefined;
let answering: typeof failing;

async function start(execute: Parameters<typeof plainAgent>[0]): Promise<CountingQueueManager> {
  broken = [];
  failing = answering = () => undefined;
  const fail = (method: string): Error | undefined =>
    broken.includes(method) ? new Error('connection reset') : failing(method);
  const queue = new CountingQueueManager();
  host = await startAgent(plainAgent(execute), {
    execution: { leaseTtlMs: TTL, leaseRenewMs: TTL / 4 },
    recovery: { sweepMs: 20 },
    queueManager: withFaults<QueueManager>(queue, { fail, loseAnswer: (method) => answering(method) }),
    taskStore: withFaults<TaskStore>((store = new MemoryTaskStore()), { fail }),
  });
  return queue;
}

/** A caller that sends again when the line was down. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if ((error as Error).message !== 'connection reset') throw error;
    }
  }
}

afterEach(async () => {
  broken = [];
  failing = answering = () => undefined;
  await host.close();
});

describe('when the log cannot be written for a while', () => {
  it.each(['append', 'take', 'release', 'read'])('nobody notices: %s', async (method) => {
    let failures = 0;
    const go = gate();
    const queue = await start(async ({ updater, userInput }) => {
      await updater.startWork();
      await go.opened;
      if (userInput !== 'done') return updater.requiresInput();
      await updater.addArtifact('more');
      return updater.complete();
    });
    const stream = await host.stream('hi');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    const { id } = opening!.event.task!;
    stream.close();
    failing = (called) => (called === method && failures++ < 3 ? new Error('connection reset') : undefined);
    go.open();
    await expect.poll(async () => (await queue.head(id))!.runState, IN_TIME).toBe('parked');
    const answer = await retried(() => host.send(to(id, 'done')));
    expect(answer.status.state).toBe('TASK_STATE_COMPLETED');
    expect(failures).toBeGreaterThan(0);
    expect(answer.artifacts).toHaveLength(1);
    expect(host.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('an event whose answer was lost is logged once', async () => {
    const queue = await start(async ({ updater }) => {
      await updater.startWork();
      const poem = updater.artifact();
      for (let i = 0; i < 20; i++) {
        await poem.write(`${i}`);
        await updater.flush();
      }
      await poem.close('end');
      await updater.complete();
    });
    let appends = 0;
    answering = (method) =>
      method === 'append' && appends++ % 2 === 0 ? new Error('connection reset') : undefined;
    const { id, artifacts } = await host.send('hi');
    const texts = artifacts![0]!.parts.map(({ text }) => text);
    expect(texts).toEqual([...Array.from({ length: 20 }, (_, i) => `${i}`), 'end']);
    const ends = (await queue.read(id, 0, 1_000)).filter(({ event }) => event && endsLog(event));
    expect(ends).toHaveLength(1);
    expect(appends).toBeGreaterThan(40);
  });
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
    const { id } = opening!.event.task!;
    await expect.poll(() => told, IN_TIME).toMatchObject({ message: 'connection reset' });
    expect(aborted).toBe(true);
    await expect.poll(() => queue.watchers, IN_TIME).toBe(0);
    expect(await queue.head(id)).toMatchObject({ closed: false, runState: 'running' });
    expect(host.log.lines.some(({ level, text }) => level === 'error' && text.includes(id))).toBe(true);
    // Once the log is there again, the task does not stay as it is.
    broken = [];
    await expect.poll(async () => (await host.get(id)).status.state, IN_TIME).toBe('TASK_STATE_FAILED');
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
    await expect.poll(() => queue.watchers, IN_TIME).toBe(0);
    // The snapshot is not saved, so the lease is not given back: the recovery saves it, once the store is there again.
    expect(await queue.head(id)).toMatchObject({ closed: true, runState: 'running' });
    expect(await store.get(id)).toBeUndefined();
    broken = [];
    await expect.poll(() => store.get(id), IN_TIME).toMatchObject({ task: { status } });
    await expect.poll(async () => (await queue.head(id))!.runState, IN_TIME).toBe('ended');
  });
});
