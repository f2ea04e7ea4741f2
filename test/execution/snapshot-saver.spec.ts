import { describe, expect, it } from 'vitest';
import { chunkEvent, statusEvent, taskEvent } from '../contracts/samples.js';
import { TASK, beginWriter, foldTo, readLog, type WriterHarness } from './writer-harness.js';

/** Waits until a snapshot of a number is saved. */
async function saved({ store }: WriterHarness, sequence: number): Promise<void> {
  await expect.poll(async () => (await store.get(TASK))?.sequence, { interval: 1 }).toBe(sequence);
}

/** Lets everything happen that is on its way. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('the snapshot of a task is saved', () => {
  it('when its status changes', async () => {
    const harness = await beginWriter();
    await harness.writer.emit(taskEvent(TASK));
    await saved(harness, 2);
    await harness.writer.emit(statusEvent(TASK, 'TASK_STATE_WORKING'));
    await saved(harness, 3);
  });

  it('when an artifact closes, and not for each chunk', async () => {
    const harness = await beginWriter();
    await harness.writer.emit(taskEvent(TASK));
    await saved(harness, 2);
    await harness.writer.emit(chunkEvent(TASK, 'a', {}));
    await harness.writer.flush();
    await quiet();
    expect(harness.store.saves).toHaveLength(1);
    await harness.writer.emit(chunkEvent(TASK, 'b', { append: true, lastChunk: true }));
    await saved(harness, 4);
  });

  it('when the tail outgrows 64 KiB and the snapshot, so that 16 times the chunks cost no more saves each', async () => {
    const savesOf = async (chunks: number): Promise<number> => {
      const harness = await beginWriter();
      const { writer, store } = harness;
      await writer.emit(taskEvent(TASK));
      await saved(harness, 2);
      const text = 'x'.repeat(1_024);
      for (let i = 0; i < chunks; i++) {
        await writer.emit(chunkEvent(TASK, text));
        if (i % 32 === 31) await quiet();
      }
      await writer.flush();
      await quiet();
      const saves = store.saves.length - 1;
      const last = store.saves.at(-1)!;
      expect(last.task).toEqual(foldTo(await readLog(harness), last.sequence));
      return saves;
    };
    expect(await savesOf(40)).toBe(0);
    const few = await savesOf(128);
    expect(few).toBeGreaterThanOrEqual(1);
    // Each save doubles what is saved: 16 times as much takes about four more.
    expect(await savesOf(16 * 128)).toBeLessThanOrEqual(few + 6);
  });

  it('never twice at a time: what comes meanwhile is saved together', async () => {
    let running = 0;
    let most = 0;
    const harness = await beginWriter({ storeFaults: { latency: () => 5 } });
    const { store, writer } = harness;
    const save = store.save.bind(store);
    store.save = async (record) => {
      most = Math.max(most, ++running);
      await save(record);
      running -= 1;
    };
    await writer.emit(taskEvent(TASK));
    for (let i = 0; i < 50; i++) await writer.emit(statusEvent(TASK, 'TASK_STATE_WORKING'));
    await writer.settle();
    expect(most).toBe(1);
    expect(store.saves.length).toBeLessThan(10);
    expect(store.saves.at(-1)!.sequence).toBe(52);
  });

  it('before settle() resolves, which throws what the store throws', async () => {
    let broken = true;
    const fail = (): Error | undefined => (broken ? new Error('disk full') : undefined);
    const harness = await beginWriter({ storeFaults: { fail } });
    await harness.writer.emit(taskEvent(TASK));
    await expect(harness.writer.settle()).rejects.toThrow('disk full');
    broken = false;
    await harness.writer.settle();
    expect((await harness.store.get(TASK))!.sequence).toBe(2);
  });

  it('a later time when the store fails in the background', async () => {
    let broken = true;
    const fail = (): Error | undefined => (broken ? new Error('disk full') : undefined);
    const harness = await beginWriter({ storeFaults: { fail } });
    await harness.writer.emit(taskEvent(TASK));
    await quiet();
    broken = false;
    await harness.writer.emit(statusEvent(TASK, 'TASK_STATE_WORKING'));
    await saved(harness, 3);
  });
});
