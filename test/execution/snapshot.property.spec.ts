import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../../lib/interfaces/queue-manager.js';
import { chunkEvent, messageCommand, statusEvent, taskEvent } from '../contracts/samples.js';
import { pseudoRandom } from '../contracts/with-faults.js';
import { LogTaskReader } from '../../lib/events/log-task-reader.js';
import { TASK, beginWriter, foldTo, readLog, type WriterHarness } from './writer-harness.js';

type Step = 'chunk' | 'close' | 'status' | 'task' | 'command' | 'turn' | 'wait';

const steps = fc.array(
  fc.constantFrom<Step>('chunk', 'chunk', 'chunk', 'close', 'status', 'task', 'command', 'turn', 'wait'),
  { minLength: 5, maxLength: 40 },
);

async function take(step: Step, n: number, { writer, log }: WriterHarness): Promise<void> {
  if (step === 'chunk') void writer.emit(chunkEvent(TASK, `${n} `));
  else if (step === 'close') void writer.emit(chunkEvent(TASK, `${n}.`, { append: true, lastChunk: true }));
  else if (step === 'status') void writer.emit(statusEvent(TASK, 'TASK_STATE_WORKING'));
  else if (step === 'task') void writer.emit(taskEvent(TASK, 'TASK_STATE_WORKING'));
  else if (step === 'command') await log.appendCommand(TASK, messageCommand(`${n}`));
  else if (step === 'turn') await sleep(0);
  else await writer.flush();
}

describe('whatever the delays of log and store', () => {
  it('each snapshot is the fold of the log up to its number, and a reader finds the task of some moment whole', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (script, seed) => {
        const delay = pseudoRandom(seed, 4);
        const harness = await beginWriter({
          queueFaults: { latency: delay },
          storeFaults: { latency: () => delay() * 2 },
        });
        const { writer, log, store, command } = harness;
        const met: number[] = [];
        writer.onCommand = (sequence) => met.push(sequence);
        const unwatch = log.watch(TASK, (hint) => void writer.catchUp(hint));
        writer.publish(command.message);
        const reader = new LogTaskReader(store, log);
        const seen: [number, string][] = [];
        for (const [n, step] of script.entries()) {
          await take(step, n, harness);
          const record = await reader.get(TASK);
          if (record) seen.push([record.sequence, JSON.stringify(record.task)]);
        }
        await writer.catchUp();
        await writer.settle();
        unwatch();
        const records = await readLog(harness);
        for (const { task, sequence, fence } of store.saves) {
          expect(task).toEqual(foldTo(records, sequence));
          expect(fence).toBe(harness.lease.token);
        }
        for (const [sequence, task] of seen) expect(task).toBe(JSON.stringify(foldTo(records, sequence)));
        expect(writer.task()).toEqual(foldTo(records));
        expect((await store.get(TASK))!.sequence).toBe(records.at(-1)!.sequence);
        expect(met).toEqual(commandsOf(records).slice(1));
      }),
      { numRuns: 40 },
    );
  });
});

function commandsOf(records: readonly LogRecord[]): number[] {
  return records.filter(({ command }) => command).map(({ sequence }) => sequence);
}
