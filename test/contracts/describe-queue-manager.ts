import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  LeaseLostError,
  TaskLogClosedError,
  TaskLogFullError,
  TaskLogNotFoundError,
  type Lease,
  type LeaseRequest,
  type LogRecord,
  type QueueManager,
} from '../../lib/interfaces/queue-manager.js';
import {
  cancelCommand,
  chunkEvent,
  messageCommand,
  originOf,
  statusEvent,
  taskEvent,
  textOf,
  unique,
} from './samples.js';

/** A queue manager under test, and how to let go of it. */
export interface QueueManagerHost {
  readonly queue: QueueManager;
  /** The same logs as another process sees them; default: the same manager. */
  readonly other?: QueueManager;
  close?(): Promise<void>;
}

const A: LeaseRequest = { holder: 'holder-a', ttlMs: 60_000 };
const B: LeaseRequest = { holder: 'holder-b', ttlMs: 60_000 };

/** What every QueueManager promises. */
export function describeQueueManager(
  name: string,
  factory: () => QueueManagerHost | Promise<QueueManagerHost>,
): void {
  describe(`QueueManager: ${name}`, () => {
    let host: QueueManagerHost;
    let queue: QueueManager;
    let other: QueueManager;
    let id: string;

    beforeEach(async () => {
      host = await factory();
      queue = host.queue;
      other = host.other ?? host.queue;
      id = unique('task');
    });

    afterEach(() => host.close?.());

    const begin = async (): Promise<Lease> => {
      const lease = await queue.create(id, originOf(), messageCommand('first'), A);
      expect(lease).toMatchObject({ taskId: id, holder: A.holder });
      return lease!;
    };
    const readAll = async (from = queue, after = 0): Promise<LogRecord[]> => {
      const all: LogRecord[] = [];
      for (let cursor = after; ; cursor = all.at(-1)!.sequence) {
        const page = await from.read(id, cursor, 7);
        if (page.length === 0) return all;
        expect(page.length).toBeLessThanOrEqual(7);
        all.push(...page);
      }
    };
    const sequencesOf = (records: readonly LogRecord[]): number[] => records.map(({ sequence }) => sequence);
    const expectGrowing = (numbers: readonly number[]): void => {
      for (let i = 1; i < numbers.length; i++) expect(numbers[i]).toBeGreaterThan(numbers[i - 1]!);
    };

    describe('create', () => {
      it('makes a log with its first command, number 1, under a lease', async () => {
        const command = messageCommand('first');
        const origin = originOf({ tenant: 'tenant' });
        const lease = await queue.create(id, origin, command, A);
        expect(await other.read(id, 0)).toEqual([{ sequence: 1, command }]);
        expect(await other.head(id)).toEqual({
          ...origin,
          taskId: id,
          sequence: 1,
          firstSequence: 1,
          token: lease!.token,
          holder: A.holder,
          runState: 'running',
          taken: 0,
          closed: false,
        });
      });

      it('makes a queued log without a lease', async () => {
        expect(await queue.create(id, originOf(), messageCommand('first'))).toBeUndefined();
        const head = await other.head(id);
        expect(head).toMatchObject({ runState: 'queued', sequence: 1 });
        expect(head!.holder).toBeUndefined();
      });

      it('refuses an id that is taken, of 20 at once all but one', async () => {
        const attempts = Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? queue : other).create(id, originOf(), messageCommand(`${i}`), A),
        );
        const results = await Promise.allSettled(attempts);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await readAll()).toHaveLength(1);
      });

      it('leaves no moment in which the log is there and free', async () => {
        const creation = queue.create(id, originOf(), messageCommand('first'), A);
        const thief = Promise.all(Array.from({ length: 20 }, () => other.acquire(id, B)));
        expect(await creation).toBeDefined();
        for (const lease of await thief) expect(lease).toBeUndefined();
      });
    });

    describe('numbering', () => {
      it('numbers commands and events in one growing order', async () => {
        const lease = await begin();
        const first = await queue.append(lease, [taskEvent(id), chunkEvent(id, '0')]);
        const head = await other.appendCommand(id, messageCommand('second'));
        const last = await queue.append(lease, [chunkEvent(id, '1')]);
        const records = await readAll(other);
        expectGrowing(sequencesOf(records));
        expect(records.map(({ command }) => command?.kind)).toEqual([
          'message',
          undefined,
          undefined,
          'message',
          undefined,
        ]);
        expect(sequencesOf(records).slice(2)).toEqual([first, head.sequence, last]);
        expect((await queue.head(id))!.sequence).toBe(last);
      });

      it('reads what comes after a number, at most as much as asked for', async () => {
        const lease = await begin();
        await queue.append(lease, [taskEvent(id), ...[0, 1, 2, 3].map((n) => chunkEvent(id, `${n}`))]);
        const all = sequencesOf(await readAll());
        expect(sequencesOf(await queue.read(id, all[2]!))).toEqual(all.slice(3));
        expect(sequencesOf(await queue.read(id, all[2]!, 2))).toEqual(all.slice(3, 5));
        expect(await queue.read(id, all.at(-1)!)).toEqual([]);
        expect(await queue.read(id, all.at(-1)! + 100)).toEqual([]);
        expect(await queue.read(unique('task'), 0)).toEqual([]);
      });

      it('keeps records as they were logged, each character of them', async () => {
        const lease = await begin();
        const event = chunkEvent(id, 'ü😀\n"\u2028', { append: true });
        const data = { artifactId: 'd', parts: [{ data: { b: 1, a: [null, '\u0000'] } }] };
        const update = { artifactUpdate: { taskId: id, contextId: 'context', artifact: data } };
        await queue.append(lease, [event, update]);
        const [, first, second] = await readAll(other);
        expect(JSON.stringify(first!.event)).toBe(JSON.stringify(event));
        expect(JSON.stringify(second!.event)).toBe(JSON.stringify(update));
      });

      it('marks events with the last message that a run had taken', async () => {
        const lease = await begin();
        await queue.append(lease, [taskEvent(id)]);
        await queue.take(lease, 1);
        const second = await other.appendCommand(id, messageCommand('second'));
        await queue.append(lease, [statusEvent(id, 'TASK_STATE_INPUT_REQUIRED')]);
        await queue.take(lease, second.sequence);
        await queue.append(lease, [chunkEvent(id, '0'), statusEvent(id, 'TASK_STATE_INPUT_REQUIRED')]);
        const taken = (await readAll(other)).flatMap((record) => (record.event ? [record.taken] : []));
        expect(taken).toEqual([0, 1, second.sequence, second.sequence]);
      });

      it('loses none of 200 appends and 200 commands that contend, and keeps the writer in order', async () => {
        const lease = await begin();
        await queue.append(lease, [taskEvent(id)]);
        const commands = Array.from({ length: 200 }, (_, i) =>
          (i % 2 ? queue : other).appendCommand(id, messageCommand(`c${i}`)),
        );
        const appends: Promise<number>[] = [];
        for (let i = 0; i < 200; i++) {
          const appended = queue.append(lease, [chunkEvent(id, `${i}`)]);
          // A writer has one append at a time on its way.
          if (i % 2) await appended;
          appends.push(appended);
          await appended;
        }
        const numbers = await Promise.all(appends);
        const heads = await Promise.all(commands);
        const records = await readAll(other);
        expectGrowing(sequencesOf(records));
        const texts = records.map(({ event }) => textOf(event)).filter((text) => text !== undefined);
        expect(texts).toEqual(Array.from({ length: 200 }, (_, i) => `${i}`));
        expect(records.filter(({ command }) => command)).toHaveLength(201);
        expectGrowing(numbers);
        expect(new Set(heads.map(({ sequence }) => sequence)).size).toBe(200);
      });
    });

    describe('appendCommand', () => {
      it('refuses a log that does not exist', async () => {
        await expect(queue.appendCommand(id, messageCommand('x'))).rejects.toThrow(TaskLogNotFoundError);
      });

      it('refuses messages above the bound, and takes them again when a run has taken some', async () => {
        const lease = await begin();
        const second = await queue.appendCommand(id, messageCommand('second'), 2);
        await expect(other.appendCommand(id, messageCommand('third'), 2)).rejects.toThrow(TaskLogFullError);
        // A cancel is no message.
        await other.appendCommand(id, cancelCommand(), 2);
        await queue.take(lease, 1);
        await other.appendCommand(id, messageCommand('third'), 2);
        await expect(other.appendCommand(id, messageCommand('fourth'), 2)).rejects.toThrow(TaskLogFullError);
        await queue.take(lease, second.sequence);
        await other.appendCommand(id, messageCommand('fourth'), 2);
      });

      it('lets exactly as many of 50 messages in as may wait', async () => {
        await begin();
        const results = await Promise.allSettled(
          Array.from({ length: 50 }, (_, i) =>
            (i % 2 ? queue : other).appendCommand(id, messageCommand(`${i}`), 16),
          ),
        );
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(15);
        for (const result of results)
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(TaskLogFullError);
        expect(await readAll()).toHaveLength(16);
      });

      it('does not let messages to a detached task wait: nobody will take them', async () => {
        const lease = await begin();
        await queue.append(lease, [taskEvent(id)]);
        await queue.release(lease, 'detached', (await queue.head(id))!.sequence);
        for (let i = 0; i < 5; i++) await other.appendCommand(id, messageCommand(`${i}`), 2);
        const head = await other.head(id);
        expect(head).toMatchObject({ runState: 'detached' });
        expect(head!.taken).toBe(head!.sequence);
      });
    });

    describe('closing', () => {
      it('refuses events and commands after the closing event', async () => {
        const lease = await begin();
        await queue.append(lease, [taskEvent(id), statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
        expect(await other.head(id)).toMatchObject({ closed: true });
        const more = queue.append(lease, [statusEvent(id, 'TASK_STATE_FAILED')], { close: true });
        await expect(more).rejects.toThrow(TaskLogClosedError);
        await expect(other.appendCommand(id, messageCommand('late'))).rejects.toThrow(TaskLogClosedError);
        expect(await other.acquire(id, B)).toBeUndefined();
        expect(await other.acquire(id, B, true)).toBeUndefined();
        expect(await readAll()).toHaveLength(3);
      });

      it('lets each racing command in before the end, or refuses it', async () => {
        for (let round = 0; round < 20; round++) {
          id = unique('task');
          const lease = await begin();
          const end = queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
          const commands = Array.from({ length: 10 }, () => other.appendCommand(id, cancelCommand()));
          const results = await Promise.allSettled(commands);
          const last = await end;
          const records = await readAll();
          const accepted = results.filter(({ status }) => status === 'fulfilled').length;
          expect(records).toHaveLength(2 + accepted);
          expect(records.at(-1)!.sequence).toBe(last);
          for (const result of results)
            if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(TaskLogClosedError);
        }
      });

      it('lets one of two ends win', async () => {
        for (let round = 0; round < 50; round++) {
          id = unique('task');
          const lease = await begin();
          const results = await Promise.allSettled([
            queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true }),
            queue.append(lease, [statusEvent(id, 'TASK_STATE_FAILED')], { close: true }),
            other.acquire(id, B, true),
          ]);
          const ends = results.slice(0, 2).filter(({ status }) => status === 'fulfilled');
          expect(ends.length).toBeLessThanOrEqual(1);
          expect(await readAll()).toHaveLength(1 + ends.length);
        }
      });
    });

    describe('lease', () => {
      it('is held by one; of 200 who want it one gets it', async () => {
        await queue.create(id, originOf(), messageCommand('first'));
        const wishes = Array.from({ length: 200 }, (_, i) =>
          (i % 2 ? queue : other).acquire(id, { holder: `holder-${i}`, ttlMs: 60_000 }),
        );
        const leases = (await Promise.all(wishes)).filter((lease) => lease !== undefined);
        expect(leases).toHaveLength(1);
        expect(await other.head(id)).toMatchObject({ holder: leases[0]!.holder, runState: 'running' });
      });

      it('gets a higher token each time', async () => {
        let lease = await begin();
        for (const state of ['parked', 'detached', 'queued'] as const) {
          expect(await queue.release(lease, state, 1)).toBe(true);
          const next = await other.acquire(id, B);
          expect(next!.token).toBeGreaterThan(lease.token);
          lease = next!;
        }
        const taken = await queue.acquire(id, A, true);
        expect(taken!.token).toBeGreaterThan(lease.token);
      });

      it('says in which run state it was found, whatever happened since anyone looked', async () => {
        let lease = await begin();
        expect(lease.found).toBe('queued');
        for (const state of ['parked', 'detached', 'queued'] as const) {
          await queue.release(lease, state, 1);
          lease = (await other.acquire(id, B))!;
          expect(lease.found).toBe(state);
        }
        expect((await queue.acquire(id, A, true))!.found).toBe('running');
      });

      it('is refused to the same holder while it is held', async () => {
        await begin();
        expect(await queue.acquire(id, A)).toBeUndefined();
      });

      it('is undefined for an unknown log', async () => {
        expect(await queue.acquire(id, A)).toBeUndefined();
        expect(await queue.acquire(id, A, true)).toBeUndefined();
      });

      it('can be taken when it has expired, and not when it was renewed', async () => {
        const short = { holder: 'short', ttlMs: 100 };
        const lease = await queue.create(id, originOf(), messageCommand('first'), short);
        expect(await queue.renew(lease!, 60_000)).toBe(true);
        const second = unique('task');
        await queue.create(second, originOf(), messageCommand('first'), short);
        await expect.poll(async () => other.acquire(second, B), { timeout: 5_000 }).toBeDefined();
        expect(await other.acquire(id, B)).toBeUndefined();
        expect(await other.head(id)).toMatchObject({ holder: 'short' });
      });

      it('is not shown as held when it has expired', async () => {
        await queue.create(id, originOf(), messageCommand('first'), { holder: 'short', ttlMs: 20 });
        await expect.poll(async () => (await other.head(id))!.holder, { timeout: 5_000 }).toBeUndefined();
        expect(await other.head(id)).toMatchObject({ runState: 'running' });
      });
    });

    describe('fencing', () => {
      it('refuses everything of a writer whose lease was taken', async () => {
        const stale = await begin();
        const lease = await other.acquire(id, B, true);
        await expect(queue.append(stale, [taskEvent(id)])).rejects.toThrow(LeaseLostError);
        await expect(queue.append(stale, [taskEvent(id)], { close: true })).rejects.toThrow(LeaseLostError);
        await expect(queue.take(stale, 1)).rejects.toThrow(LeaseLostError);
        expect(await queue.renew(stale, 60_000)).toBe(false);
        // There is nothing to give back, and the new holder keeps it.
        expect(await queue.release(stale, 'ended', 1)).toBe(true);
        expect(await other.head(id)).toMatchObject({
          holder: B.holder,
          token: lease!.token,
          runState: 'running',
          taken: 0,
          closed: false,
          sequence: 1,
        });
        await other.append(lease!, [taskEvent(id)]);
      });

      it('refuses a writer that has given its lease back', async () => {
        const lease = await begin();
        await queue.release(lease, 'parked', 1);
        await expect(queue.append(lease, [taskEvent(id)])).rejects.toThrow(LeaseLostError);
        expect(await queue.renew(lease, 60_000)).toBe(false);
      });

      it('refuses the old writer also when the same holder has the lease again', async () => {
        const stale = await begin();
        await queue.acquire(id, A, true);
        await expect(queue.append(stale, [taskEvent(id)])).rejects.toThrow(LeaseLostError);
      });

      it('logs all events of an append or none', async () => {
        for (let round = 0; round < 20; round++) {
          id = unique('task');
          const lease = await begin();
          const events = Array.from({ length: 5 }, (_, i) => chunkEvent(id, `${i}`));
          const [appended] = await Promise.allSettled([
            queue.append(lease, events),
            other.acquire(id, B, true),
          ]);
          expect(await readAll()).toHaveLength(appended!.status === 'fulfilled' ? 6 : 1);
        }
      });

      it('refuses an append to a log that was removed', async () => {
        const lease = await begin();
        await other.remove(id);
        await expect(queue.append(lease, [taskEvent(id)])).rejects.toThrow(LeaseLostError);
      });
    });

    describe('release', () => {
      it('sets the run state and frees the log', async () => {
        const lease = await begin();
        expect(await queue.release(lease, 'parked', 1)).toBe(true);
        const head = await other.head(id);
        expect(head).toMatchObject({ runState: 'parked', token: lease.token });
        expect(head!.holder).toBeUndefined();
      });

      it.each(['parked', 'queued'] as const)(
        'as %s is refused while a newer command waits',
        async (state) => {
          const lease = await begin();
          const { sequence } = await other.appendCommand(id, messageCommand('second'));
          expect(await queue.release(lease, state, sequence - 1)).toBe(false);
          expect(await other.head(id)).toMatchObject({ holder: A.holder, runState: 'running' });
          expect(await queue.release(lease, state, sequence)).toBe(true);
        },
      );

      it('is refused for a cancel, too', async () => {
        const lease = await begin();
        await other.appendCommand(id, cancelCommand());
        expect(await queue.release(lease, 'parked', 1)).toBe(false);
      });

      it('is not refused for events after the number, which are the holder’s own', async () => {
        const lease = await begin();
        await queue.append(lease, [taskEvent(id)]);
        expect(await queue.release(lease, 'parked', 1)).toBe(true);
      });

      it('leaves no command between two chairs: the holder goes on, or the sender finds the log free', async () => {
        for (let round = 0; round < 100; round++) {
          id = unique('task');
          const lease = await begin();
          const [released, head] = await Promise.all([
            queue.release(lease, 'parked', 1),
            other.appendCommand(id, messageCommand('second')),
          ]);
          expect(released).toBe(head.holder === undefined);
        }
      });

      it('of a closed log is an end, whatever was asked for', async () => {
        const lease = await begin();
        await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
        expect(await queue.release(lease, 'ended', 2)).toBe(true);
        const head = await other.head(id);
        expect(head).toMatchObject({ runState: 'ended', closed: true });
        expect(head!.holder).toBeUndefined();
      });
    });

    describe('take', () => {
      it('notes the last message that a run has taken', async () => {
        const lease = await begin();
        await queue.take(lease, 1);
        expect(await other.head(id)).toMatchObject({ taken: 1 });
      });

      it('marks the events that follow with it', async () => {
        const lease = await begin();
        await queue.append(lease, [taskEvent(id)]);
        await queue.take(lease, 1);
        await queue.append(lease, [chunkEvent(id, '0'), chunkEvent(id, '1')]);
        const [, ...events] = await readAll(other);
        expect(events.map(({ taken }) => taken)).toEqual([0, 1, 1]);
      });
    });

    describe('watch', () => {
      it('tells of events, commands, the end of a lease, and removal', async () => {
        const lease = await begin();
        let calls = 0;
        const heard = async (): Promise<void> => {
          await expect.poll(() => calls, { timeout: 5_000, interval: 5 }).toBeGreaterThan(0);
          calls = 0;
        };
        const unwatch = other.watch(id, () => (calls += 1));
        await queue.append(lease, [taskEvent(id)]);
        await heard();
        await queue.appendCommand(id, messageCommand('second'));
        await heard();
        await queue.release(lease, 'detached', 3);
        await heard();
        await queue.remove(id);
        await heard();
        unwatch();
      });

      it('says no number beyond what can be read', async () => {
        const lease = await begin();
        const early: number[] = [];
        const unwatch = other.watch(id, (sequence) => {
          if (sequence === undefined) return;
          void other.read(id, sequence - 1).then((records) => {
            if (records[0]?.sequence !== sequence) early.push(sequence);
          });
        });
        for (let i = 0; i < 20; i++) await queue.append(lease, [chunkEvent(id, `${i}`)]);
        await other.head(id);
        unwatch();
        expect(early).toEqual([]);
      });

      it('is silent when ended, and may be ended twice', async () => {
        const lease = await begin();
        let calls = 0;
        const unwatch = other.watch(id, () => (calls += 1));
        let others = 0;
        const watchOthers = other.watch(id, () => (others += 1));
        unwatch();
        unwatch();
        await queue.append(lease, [taskEvent(id)]);
        await expect.poll(() => others, { timeout: 5_000, interval: 5 }).toBeGreaterThan(0);
        expect(calls).toBe(0);
        watchOthers();
      });

      it('never misses a change: a reader that waits for calls sees everything', async () => {
        const lease = await begin();
        const readers = Array.from({ length: 10 }, () => readUntilClosed(other, id));
        for (let i = 0; i < 100; i++) {
          await queue.append(lease, [chunkEvent(id, `${i}`)]);
          if (i % 10 === 0) readers.push(readUntilClosed(other, id));
        }
        await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
        const expected = sequencesOf(await readAll());
        for (const seen of await Promise.all(readers)) expect(sequencesOf(seen)).toEqual(expected);
      });
    });

    describe('remove and prune', () => {
      const closeNow = async (taskId: string): Promise<void> => {
        id = taskId;
        const lease = await begin();
        await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
        await queue.release(lease, 'ended', 2);
      };

      it('forgets a removed log, and removes it twice', async () => {
        await begin();
        await queue.remove(id);
        await queue.remove(id);
        expect(await other.head(id)).toBeUndefined();
        expect(await other.read(id, 0)).toEqual([]);
      });

      it('prunes closed logs above a count, the oldest first, open ones never', async () => {
        const open = unique('open');
        await queue.create(open, originOf(), messageCommand('first'));
        const ids = Array.from({ length: 5 }, () => unique('task'));
        for (const taskId of ids) await closeNow(taskId);
        await queue.prune({ keepClosed: 2 });
        const left = await Promise.all(ids.map(async (taskId) => (await other.head(taskId)) !== undefined));
        expect(left).toEqual([false, false, false, true, true]);
        expect(await other.head(open)).toBeDefined();
      });

      it('prunes logs that were closed before a time', async () => {
        await closeNow(unique('task'));
        await queue.prune({ closedBefore: Date.now() - 60_000 });
        expect(await other.head(id)).toBeDefined();
        await queue.prune({ closedBefore: Date.now() + 60_000 });
        expect(await other.head(id)).toBeUndefined();
      });

      it('prunes nothing unless told what', async () => {
        await closeNow(unique('task'));
        await queue.prune({});
        expect(await other.head(id)).toBeDefined();
      });
    });
  });
}

/** Reads a log as a stream does: it looks, and then waits for a call of the watcher. */
async function readUntilClosed(queue: QueueManager, id: string): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  let changed = true;
  let wake = (): void => {};
  const unwatch = queue.watch(id, () => {
    changed = true;
    wake();
  });
  try {
    for (;;) {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      changed = false;
      const head = await queue.head(id);
      const records = await queue.read(id, all.at(-1)?.sequence ?? 0);
      all.push(...records);
      if (head?.closed && (all.at(-1)?.sequence ?? 0) >= head.sequence) return all;
      if (records.length > 0) changed = true;
    }
  } finally {
    unwatch();
  }
}
