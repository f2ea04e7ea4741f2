import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LogTaskReader } from '../../lib/events/log-task-reader.js';
import type { Lease } from '../../lib/interfaces/queue-manager.js';
import type { EventStream } from '../../lib/interfaces/task-reader.js';
import { InvalidParamsError } from '../../lib/protocol/errors.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import {
  chunkEvent,
  messageCommand,
  originOf,
  statusEvent,
  taskEvent,
  textOf,
} from '../contracts/samples.js';
import { withFaults, pseudoRandom } from '../contracts/with-faults.js';
import type { QueueManager } from '../../lib/interfaces/queue-manager.js';
import { CountingQueueManager, readToEnd, statesOf } from '../execution/agent-host.js';

const TASK = 'task';
const WORKING = statusEvent(TASK, 'TASK_STATE_WORKING');
const PAUSED = statusEvent(TASK, 'TASK_STATE_INPUT_REQUIRED');
const COMPLETED = statusEvent(TASK, 'TASK_STATE_COMPLETED');

interface Setup {
  readonly queue: CountingQueueManager;
  readonly reader: LogTaskReader;
  readonly lease: Lease;
}

async function setup(line: (queue: QueueManager) => QueueManager = (queue) => queue): Promise<Setup> {
  const queue = new CountingQueueManager();
  const reader = new LogTaskReader(new MemoryTaskStore(), line(queue));
  const lease = await queue.create(TASK, originOf(), messageCommand('first'), { holder: 'a', ttlMs: 60_000 });
  await queue.append(lease!, [taskEvent(TASK)]);
  return { queue, reader, lease: lease! };
}

const ALL = { after: 0, snapshot: false, untilPaused: false };

describe('LogStream', () => {
  it('gives the events after a number, waits for more, and ends after the last', async () => {
    const { queue, reader, lease } = await setup();
    const stream = reader.follow(TASK, ALL);
    expect(await stream.read()).toMatchObject([{ sequence: 2, event: { task: { id: TASK } } }]);
    const waiting = stream.read();
    await queue.append(lease, [WORKING]);
    expect(await waiting).toMatchObject([{ sequence: 3 }]);
    await queue.appendCommand(TASK, messageCommand('not shown'));
    await queue.append(lease, [COMPLETED], { close: true });
    expect(await readToEnd(stream)).toMatchObject([{ sequence: 5 }]);
    expect(await stream.read()).toBeUndefined();
    expect(queue.watchers).toBe(0);
  });

  it('reads once for each time that it is woken', async () => {
    const reads: number[] = [];
    const { queue, reader, lease } = await setup((real) =>
      withFaults(real, { fail: (method) => void (method === 'read' && reads.push(reads.length)) }),
    );
    const stream = reader.follow(TASK, { ...ALL, after: 2 });
    let waiting = stream.read();
    await expect.poll(() => reads.length).toBe(1);
    for (let i = 0; i < 5; i++) {
      // Time enough for a read that nobody asked for.
      await sleep(10);
      await queue.append(lease, [chunkEvent(TASK, `${i}`)]);
      expect(await waiting).toHaveLength(1);
      waiting = stream.read();
    }
    await queue.append(lease, [COMPLETED], { close: true });
    expect(await waiting).toHaveLength(1);
    expect(await stream.read()).toBeUndefined();
    expect(reads).toHaveLength(7);
  });

  it('opens with the task as it is, then gives what follows', async () => {
    const { queue, reader, lease } = await setup();
    await queue.append(lease, [chunkEvent(TASK, 'a', {})]);
    const stream = reader.follow(TASK, { snapshot: true, untilPaused: true });
    const [opening] = (await stream.read())!;
    expect(opening).toMatchObject({
      sequence: 3,
      event: { task: { artifacts: [{ parts: [{ text: 'a' }] }] } },
    });
    await queue.append(lease, [COMPLETED], { close: true });
    expect(await readToEnd(stream)).toMatchObject([{ sequence: 4 }]);
  });

  it('ends after an opening task that has ended', async () => {
    const { queue, reader, lease } = await setup();
    await queue.append(lease, [COMPLETED], { close: true });
    const stream = reader.follow(TASK, { snapshot: true, untilPaused: true });
    expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_COMPLETED']);
    expect(queue.watchers).toBe(0);
  });

  it('is at its end at once for an unknown task', async () => {
    const { queue, reader } = await setup();
    expect(await reader.follow('unknown', { snapshot: true, untilPaused: false }).read()).toBeUndefined();
    expect(await reader.follow('unknown', ALL).read()).toBeUndefined();
    expect(queue.watchers).toBe(0);
  });

  describe('untilPaused', () => {
    it('ends after the pause that it delivers', async () => {
      const { queue, reader, lease } = await setup();
      await queue.append(lease, [PAUSED, WORKING, COMPLETED], { close: true });
      const events = await readToEnd(reader.follow(TASK, { ...ALL, untilPaused: true }));
      expect(statesOf(events)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_INPUT_REQUIRED']);
      expect(queue.watchers).toBe(0);
    });

    it('does not end at the state of its opening task', async () => {
      const { queue, reader, lease } = await setup();
      await queue.append(lease, [PAUSED]);
      const stream = reader.follow(TASK, { snapshot: true, untilPaused: true });
      await stream.read();
      await queue.append(lease, [WORKING, COMPLETED], { close: true });
      expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    });

    it('ends when the pause after its number is inside the opening task', async () => {
      const { queue, reader, lease } = await setup();
      await queue.append(lease, [PAUSED]);
      const { sequence } = await queue.appendCommand(TASK, messageCommand('more'));
      const follow = (): EventStream =>
        reader.follow(TASK, { after: sequence, snapshot: true, untilPaused: true });
      const early = follow();
      expect(await early.read()).toHaveLength(1);
      await queue.append(lease, [WORKING, PAUSED]);
      expect(statesOf(await readToEnd(early))).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
      expect(statesOf(await readToEnd(follow()))).toEqual(['TASK_STATE_INPUT_REQUIRED']);
      await queue.append(lease, [WORKING]);
      const late = follow();
      expect(statesOf((await late.read())!)).toEqual(['TASK_STATE_WORKING']);
      const next = late.read();
      await queue.append(lease, [COMPLETED], { close: true });
      expect(statesOf((await next)!)).toEqual(['TASK_STATE_COMPLETED']);
    });

    it('stays open while the agent waits for credentials', async () => {
      const { queue, reader, lease } = await setup();
      await queue.append(lease, [statusEvent(TASK, 'TASK_STATE_AUTH_REQUIRED')]);
      const stream = reader.follow(TASK, { ...ALL, untilPaused: true });
      await stream.read();
      const next = stream.read();
      await queue.append(lease, [COMPLETED], { close: true });
      expect(statesOf((await next)!)).toEqual(['TASK_STATE_COMPLETED']);
    });
  });

  it('hands out about 64 KiB at a time, however much is there', async () => {
    const { queue, reader, lease } = await setup();
    const text = 'x'.repeat(10_000);
    await queue.append(
      lease,
      Array.from({ length: 200 }, () => chunkEvent(TASK, text)),
    );
    await queue.append(lease, [COMPLETED], { close: true });
    const stream = reader.follow(TASK, ALL);
    let events = 0;
    for (let batch = await stream.read(); batch; batch = await stream.read()) {
      expect(JSON.stringify(batch).length).toBeLessThan(90_000);
      events += batch.length;
    }
    expect(events).toBe(202);
  });

  it('hands out an event of any size', async () => {
    const { queue, reader, lease } = await setup();
    await queue.append(lease, [chunkEvent(TASK, 'x'.repeat(300_000)), COMPLETED], { close: true });
    expect(await readToEnd(reader.follow(TASK, ALL))).toHaveLength(3);
  });

  describe('close', () => {
    it('ends a read that waits', async () => {
      const { queue, reader } = await setup();
      const stream = reader.follow(TASK, ALL);
      await stream.read();
      const waiting = stream.read();
      await new Promise((resolve) => setImmediate(resolve));
      stream.close();
      stream.close();
      expect(await waiting).toBeUndefined();
      expect(await stream.read()).toBeUndefined();
      expect(queue.watchers).toBe(0);
    });

    it.each([true, false])(
      'ends a read that is on its way to the log (opening task: %s)',
      async (snapshot) => {
        const { queue, reader } = await setup((line) => withFaults(line, { latency: () => 10 }));
        const stream = reader.follow(TASK, { ...ALL, snapshot });
        const pending = stream.read();
        stream.close();
        expect(await pending).toBeUndefined();
        expect(queue.watchers).toBe(0);
      },
    );
  });

  it('ends when the log is removed', async () => {
    const { queue, reader } = await setup();
    const streams = Array.from({ length: 3 }, () => reader.follow(TASK, ALL));
    for (const stream of streams) await stream.read();
    const waiting = streams.map((stream) => stream.read());
    await queue.remove(TASK);
    expect(await Promise.all(waiting)).toEqual([undefined, undefined, undefined]);
    expect(queue.watchers).toBe(0);
  });

  it('throws the refusal of the message, after what came before it', async () => {
    const queue = new CountingQueueManager();
    const reader = new LogTaskReader(new MemoryTaskStore(), queue);
    const lease = await queue.create(TASK, originOf(), messageCommand('x'), { holder: 'a', ttlMs: 60_000 });
    const { reason, message, details } = new InvalidParamsError([{ field: 'f', description: 'd' }]);
    await queue.append(lease!, [{ error: { reason, message, details } }], { close: true });
    await expect(reader.follow(TASK, ALL).read()).rejects.toThrow(InvalidParamsError);
    expect(queue.watchers).toBe(0);
  });

  it('gives each of many readers everything once and in order, over any line', async () => {
    const { queue, reader, lease } = await setup((line) => withFaults(line, { latency: pseudoRandom(3, 6) }));
    const read = async (): Promise<(string | undefined)[]> =>
      (await readToEnd(reader.follow(TASK, ALL))).map(({ event }) => textOf(event)).filter((text) => text);
    const readers = Array.from({ length: 10 }, read);
    for (let i = 0; i < 300; i++) {
      await queue.append(lease, [chunkEvent(TASK, `${i}`)]);
      if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      if (i % 60 === 0) readers.push(read());
    }
    await queue.append(lease, [COMPLETED], { close: true });
    const expected = Array.from({ length: 300 }, (_, i) => `${i}`);
    for (const texts of await Promise.all(readers)) expect(texts).toEqual(expected);
    expect(queue.watchers).toBe(0);
  });
});

describe('LogTaskReader', () => {
  it('answers snapshot and tail, within the scope only', async () => {
    const { queue, reader, lease } = await setup();
    await queue.append(lease, [chunkEvent(TASK, 'a', {})]);
    const record = await reader.get(TASK, originOf());
    expect(record).toMatchObject({ sequence: 3, fence: lease.token, task: { artifacts: [{}] } });
    expect(await reader.get(TASK, originOf({ owner: 'another' }))).toBeUndefined();
  });

  it('does not know a task before it is published', async () => {
    const queue = new CountingQueueManager();
    const reader = new LogTaskReader(new MemoryTaskStore(), queue);
    await queue.create(TASK, originOf(), messageCommand('x'), { holder: 'a', ttlMs: 60_000 });
    expect(await reader.get(TASK)).toBeUndefined();
  });

  it('lists live tasks as they are now, and not under the status that they had', async () => {
    const queue = new CountingQueueManager();
    const store = new MemoryTaskStore();
    const reader = new LogTaskReader(store, queue);
    const lease = await queue.create(TASK, originOf(), messageCommand('x'), { holder: 'a', ttlMs: 60_000 });
    await queue.append(lease!, [taskEvent(TASK)]);
    const { task, sequence, fence } = (await reader.get(TASK))!;
    await store.save({ ...originOf(), task, sequence, fence });
    await queue.append(lease!, [WORKING]);
    const { agent, tenant, owner } = originOf();
    const query = { agent, tenant, owner, pageSize: 10 };
    expect((await reader.list(query)).records).toMatchObject([
      { task: { status: { state: 'TASK_STATE_WORKING' } } },
    ]);
    const submitted = await reader.list({ ...query, status: 'TASK_STATE_SUBMITTED' });
    expect(submitted).toMatchObject({ records: [], totalSize: 0 });
  });

  describe('outcome', () => {
    it('is the task at the first pause or end after the message', async () => {
      const { queue, reader, lease } = await setup();
      await queue.append(lease, [PAUSED]);
      const { sequence } = await queue.appendCommand(TASK, messageCommand('more'));
      await queue.take(lease, sequence);
      const outcome = reader.outcome(TASK, { after: sequence, untilPublished: false });
      await queue.append(lease, [WORKING]);
      await queue.append(lease, [COMPLETED], { close: true });
      expect(await outcome).toMatchObject({
        record: { task: { status: { state: 'TASK_STATE_COMPLETED' } } },
      });
      expect(queue.watchers).toBe(0);
    });

    it('is the task at the pause, also when a message that waited has set it to work again', async () => {
      const { queue, reader, lease } = await setup();
      await queue.take(lease, 1);
      await queue.append(lease, [chunkEvent(TASK, 'before', {})]);
      const outcome = reader.outcome(TASK, { after: 1, untilPublished: false });
      const { sequence } = await queue.appendCommand(TASK, messageCommand('more'));
      const pause = await queue.append(lease, [PAUSED]);
      await queue.take(lease, sequence);
      await queue.append(lease, [WORKING, chunkEvent(TASK, 'after')]);
      expect(await outcome).toMatchObject({
        record: {
          sequence: pause,
          task: {
            status: { state: 'TASK_STATE_INPUT_REQUIRED' },
            artifacts: [{ parts: [{ text: 'before' }] }],
          },
        },
      });
    });

    it('of a message that waits is not the pause of the run before', async () => {
      const { queue, reader, lease } = await setup();
      await queue.take(lease, 1);
      const { sequence } = await queue.appendCommand(TASK, messageCommand('more'));
      const outcome = reader.outcome(TASK, { after: sequence, untilPublished: false });
      await queue.append(lease, [PAUSED]);
      await queue.take(lease, sequence);
      await queue.append(lease, [WORKING]);
      const pause = await queue.append(lease, [PAUSED]);
      expect(await outcome).toMatchObject({ record: { sequence: pause } });
    });
  });
});
