import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TaskEndedError } from '../../lib/interfaces/event-queue.js';
import type { TaskCommand } from '../../lib/interfaces/queue-manager.js';
import {
  cancelCommand,
  chunkEvent,
  messageCommand,
  statusEvent,
  taskEvent,
  textOf,
} from '../contracts/samples.js';
import { TASK, beginWriter, eventsOf, foldTo, readLog } from './writer-harness.js';

const SLOW = { latency: () => 15 };
const status = (state: Parameters<typeof statusEvent>[1]) => statusEvent(TASK, state);
const chunk = (text: string, more?: object) => chunkEvent(TASK, text, more);

/** Whether a promise has settled by the next turn of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await nextTurn();
  return settled;
}

describe('TaskWriter', () => {
  it('publishes the task as SUBMITTED with the message, once', async () => {
    const harness = await beginWriter();
    const { writer, command } = harness;
    writer.publish(command.message);
    writer.publish(command.message);
    expect(writer.published).toBe(true);
    await writer.flush();
    expect(await eventsOf(harness)).toMatchObject([
      { task: { id: TASK, status: { state: 'TASK_STATE_SUBMITTED' }, history: [command.message] } },
    ]);
  });

  it('tells whoever emits of a log that refuses before it is waited for', async () => {
    const { writer, command } = await beginWriter();
    writer.publish(command.message);
    await writer.flush();
    const append = () => {
      throw new Error('no line');
    };
    Object.assign(writer, { queue: { append } });
    await expect(writer.emit(status('TASK_STATE_WORKING'))).rejects.toThrow('no line');
    expect(writer.lost).toBe(true);
  });

  describe('running ahead of the log', () => {
    it('resolves a status change when it is logged', async () => {
      const harness = await beginWriter({ queueFaults: SLOW });
      await harness.writer.emit(taskEvent(TASK));
      await harness.writer.emit(status('TASK_STATE_WORKING'));
      expect(await eventsOf(harness)).toHaveLength(2);
    });

    it('resolves a closing chunk when it is logged, and an open one at once', async () => {
      const harness = await beginWriter({ queueFaults: SLOW });
      const { writer } = harness;
      await writer.emit(taskEvent(TASK));
      expect(await isSettled(writer.emit(chunk('0', {})))).toBe(true);
      const closing = writer.emit(chunk('1', { append: true, lastChunk: true }));
      expect(await isSettled(closing)).toBe(false);
      await closing;
      expect(await eventsOf(harness)).toHaveLength(3);
    });

    it('lets 64 events run ahead, and the next ones only when there is room', async () => {
      const harness = await beginWriter({ queueFaults: SLOW });
      const { writer } = harness;
      await writer.emit(taskEvent(TASK));
      for (let i = 0; i < 63; i++) expect(await isSettled(writer.emit(chunk(`${i}`)))).toBe(true);
      const full = writer.emit(chunk('63'));
      expect(await isSettled(full)).toBe(false);
      await full;
      expect((await eventsOf(harness)).length).toBe(65);
      expect(await isSettled(writer.emit(chunk('64')))).toBe(true);
      await writer.flush();
    });

    it('lets 256 KiB run ahead', async () => {
      const harness = await beginWriter({ queueFaults: SLOW });
      const { writer } = harness;
      await writer.emit(taskEvent(TASK));
      const text = 'x'.repeat(100 * 1024);
      expect(await isSettled(writer.emit(chunk(text)))).toBe(true);
      expect(await isSettled(writer.emit(chunk(text)))).toBe(true);
      const full = writer.emit(chunk(text));
      expect(await isSettled(full)).toBe(false);
      await full;
      await writer.flush();
    });

    it('gathers chunks of one turn in one append', async () => {
      const appends: string[] = [];
      const latency = (method: string): number => {
        if (method === 'append') appends.push(method);
        return 0;
      };
      const harness = await beginWriter({ queueFaults: { latency } });
      await harness.writer.emit(taskEvent(TASK));
      appends.length = 0;
      for (let i = 0; i < 50; i++) void harness.writer.emit(chunk(`${i}`));
      await harness.writer.flush();
      // Asked for the way there and the way back.
      expect(appends).toHaveLength(2);
    });
  });

  it('keeps the order of what was emitted, waited for or not', async () => {
    const harness = await beginWriter({ queueFaults: { latency: () => 1 } });
    const { writer } = harness;
    void writer.emit(taskEvent(TASK));
    for (let i = 0; i < 300; i++) {
      const emitted = writer.emit(i % 50 === 49 ? status('TASK_STATE_WORKING') : chunk(`${i}`));
      if (i % 7 === 0) await emitted;
    }
    await writer.flush();
    const texts = (await eventsOf(harness)).map(textOf).filter((text) => text !== undefined);
    expect(texts).toEqual(texts.toSorted((a, b) => Number(a) - Number(b)));
    expect(texts).toHaveLength(294);
  });

  it('flush resolves when all that was emitted is logged', async () => {
    const harness = await beginWriter({ queueFaults: SLOW });
    void harness.writer.emit(taskEvent(TASK));
    for (let i = 0; i < 10; i++) void harness.writer.emit(chunk(`${i}`));
    await harness.writer.flush();
    expect(await eventsOf(harness)).toHaveLength(11);
  });

  describe('the end', () => {
    it('is the first terminal status; what follows is refused', async () => {
      const harness = await beginWriter();
      const { writer } = harness;
      void writer.emit(taskEvent(TASK));
      const first = writer.emit(status('TASK_STATE_COMPLETED'));
      expect(writer.closed).toBe(true);
      await expect(writer.emit(status('TASK_STATE_FAILED'))).rejects.toThrow(TaskEndedError);
      await expect(writer.emit(chunk('late'))).rejects.toThrow(TaskEndedError);
      await first;
      expect(await eventsOf(harness)).toHaveLength(2);
      expect(await harness.log.head(TASK)).toMatchObject({ closed: true });
    });

    it('is a Message, too', async () => {
      const harness = await beginWriter();
      const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'hi' }] };
      await harness.writer.emit({ message });
      expect(harness.writer.closed).toBe(true);
      await harness.writer.settle();
      expect(await harness.log.head(TASK)).toMatchObject({ closed: true });
      expect(harness.store.saves).toEqual([]);
    });
  });

  describe('commands of others', () => {
    it('that come in between are applied in the order of the log, each once', async () => {
      const harness = await beginWriter({ queueFaults: { latency: () => 2 } });
      const { writer, log } = harness;
      const met: (readonly [number, TaskCommand])[] = [];
      writer.onCommand = (...command) => met.push(command);
      const unwatch = log.watch(TASK, (hint) => void writer.catchUp(hint));
      await writer.emit(taskEvent(TASK));
      const sent: (readonly [number, TaskCommand])[] = [];
      for (let i = 0; i < 20; i++) {
        void writer.emit(chunk(`${i}`));
        const command = i % 5 === 4 ? cancelCommand() : messageCommand(`m${i}`);
        sent.push([(await log.appendCommand(TASK, command)).sequence, command]);
        if (i % 3 === 0) await sleep(1);
        if (i % 4 === 0) await writer.emit(status('TASK_STATE_WORKING'));
      }
      await writer.catchUp();
      unwatch();
      expect(met).toEqual(sent);
      expect(writer.task()).toEqual(foldTo(await readLog(harness)));
      expect(writer.seen).toBe((await log.head(TASK))!.sequence);
    });

    it('that come at once are met once, though several readings tell of them', async () => {
      const harness = await beginWriter();
      const { writer, log } = harness;
      const met: number[] = [];
      writer.onCommand = (sequence) => met.push(sequence);
      const unwatch = log.watch(TASK, (hint) => void writer.catchUp(hint));
      await Promise.all(
        Array.from({ length: 10 }, (_, i) => log.appendCommand(TASK, messageCommand(`${i}`))),
      );
      await writer.catchUp();
      unwatch();
      expect(met).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    });
  });

  describe('a lost lease', () => {
    it('ends the writer mid-way: what is not logged is refused, and nothing follows', async () => {
      const harness = await beginWriter({ queueFaults: SLOW });
      const { writer, log } = harness;
      let lost = 0;
      writer.onLost = () => (lost += 1);
      await writer.emit(taskEvent(TASK));
      const waiting = [
        writer.emit(status('TASK_STATE_WORKING')),
        writer.emit(chunk('0', { lastChunk: true })),
      ];
      await log.acquire(TASK, { holder: 'another', ttlMs: 60_000 }, true);
      for (const emitted of waiting) await expect(emitted).rejects.toThrow(TaskEndedError);
      await expect(writer.emit(chunk('1'))).rejects.toThrow(TaskEndedError);
      await writer.settle();
      expect(writer.closed).toBe(true);
      expect(lost).toBe(1);
      expect(await eventsOf(harness)).toHaveLength(1);
    });

    it('is told of when the log fails', async () => {
      let broken = false;
      const fail = (method: string): Error | undefined =>
        broken && method === 'append' ? new Error('connection reset') : undefined;
      const harness = await beginWriter({ queueFaults: { fail } });
      await harness.writer.emit(taskEvent(TASK));
      broken = true;
      await expect(harness.writer.emit(status('TASK_STATE_WORKING'))).rejects.toThrow();
      expect(harness.writer.lost).toBe(true);
    });

    it('is told of when the log is gone, with records that the writer has not seen', async () => {
      let calls = 0;
      const latency = (method: string): number => {
        // The fourth pause is on the way back of the second append.
        if (method === 'append' && ++calls === 4) void harness.log.remove(TASK);
        return 1;
      };
      const harness = await beginWriter({ queueFaults: { latency } });
      await harness.writer.emit(taskEvent(TASK));
      await harness.log.appendCommand(TASK, messageCommand('between'));
      const emitted = harness.writer.emit(status('TASK_STATE_WORKING'));
      await expect(emitted).rejects.toThrow(TaskEndedError);
      expect(harness.writer.lost).toBe(true);
    });
  });

  describe('a Task that is emitted again', () => {
    it('goes out whole: what was there before it is not lost', async () => {
      const harness = await beginWriter();
      const { writer, command } = harness;
      writer.publish(command.message);
      void writer.emit(chunk('first ', {}));
      void writer.emit(taskEvent(TASK, 'TASK_STATE_WORKING'));
      void writer.emit(chunk('second'));
      void writer.emit(taskEvent(TASK, 'TASK_STATE_COMPLETED'));
      await writer.settle();
      const tasks = (await eventsOf(harness)).flatMap(({ task }) => task ?? []);
      expect(tasks).toMatchObject([
        { status: { state: 'TASK_STATE_SUBMITTED' } },
        {
          status: { state: 'TASK_STATE_WORKING' },
          history: [command.message],
          artifacts: [{ parts: [{ text: 'first ' }] }],
        },
        {
          status: { state: 'TASK_STATE_COMPLETED' },
          history: [command.message],
          artifacts: [{ parts: [{ text: 'first ' }, { text: 'second' }] }],
        },
      ]);
      expect(writer.task()).toEqual(foldTo(await readLog(harness)));
    });
  });

  it('begins an artifact with a chunk that adds to one which does not exist', async () => {
    const harness = await beginWriter();
    await harness.writer.emit(taskEvent(TASK));
    void harness.writer.emit(chunk('0', { append: true }));
    void harness.writer.emit(chunk('1', { append: true }));
    await harness.writer.flush();
    const updates = (await eventsOf(harness)).flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(updates.map(({ append }) => append)).toEqual([undefined, true]);
  });

  it('knows the artifacts of a Task that waits to be logged', async () => {
    const harness = await beginWriter();
    const { writer, command } = harness;
    writer.publish(command.message);
    const artifacts = [{ artifactId: 'a', parts: [{ text: '0' }] }];
    void writer.emit({ task: { id: TASK, status: { state: 'TASK_STATE_WORKING' }, artifacts } });
    void writer.emit(chunk('1', { append: true }));
    await writer.flush();
    expect(writer.task()!.artifacts).toMatchObject([{ parts: [{ text: '0' }, { text: '1' }] }]);
  });
});
