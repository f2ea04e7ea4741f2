import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  LeaseLostError,
  TaskLogClosedError,
  TaskLogExistsError,
  TaskLogFullError,
  TaskLogNotFoundError,
  type Lease,
  type LeaseRequest,
  type LogEvent,
  type LogRecord,
  type MessageCommand,
  type QueueManager,
} from '../../lib/interfaces/queue-manager.js';
import type { TaskState } from '../../lib/protocol/model.js';
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
/** A lease that expires at once, as that of a process which was killed does in time. */
const SHORT: LeaseRequest = { holder: 'killed', ttlMs: 20 };
/** More than any test leaves behind in a database that they share. */
const MANY = 100_000;

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
    /** A log whose lease has expired without being given back. */
    const begetOrphan = async (events: readonly LogEvent[]): Promise<Lease> => {
      const lease = await queue.create(id, originOf(), messageCommand('first'), { ...SHORT, ttlMs: 60_000 });
      await queue.append(lease!, events, { close: stateOf(events.at(-1)) === 'TASK_STATE_COMPLETED' });
      await queue.renew(lease!, SHORT.ttlMs);
      await expect.poll(async () => (await other.head(id))!.holder, { timeout: 5_000 }).toBeUndefined();
      return lease!;
    };
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
        for (const result of results)
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(TaskLogExistsError);
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

    describe('append with `after`', () => {
      it('appends once what is sent again because its answer was lost', async () => {
        const lease = await begin();
        const after = await queue.append(lease, [taskEvent(id)], { after: 1 });
        await other.appendCommand(id, messageCommand('between'));
        const events = [chunkEvent(id, '0'), chunkEvent(id, '1')];
        const last = await queue.append(lease, events, { after });
        await other.appendCommand(id, messageCommand('later'));
        expect(await queue.append(lease, events, { after })).toBe(last);
        expect(await queue.append(lease, [chunkEvent(id, '2')], { after: last })).toBe(last + 2);
        const texts = (await readAll(other)).map(({ event }) => textOf(event));
        expect(texts.filter((text) => text !== undefined)).toEqual(['0', '1', '2']);
      });

      it('answers the repeat of the closing event, too', async () => {
        const lease = await begin();
        const end = [statusEvent(id, 'TASK_STATE_COMPLETED')];
        const last = await queue.append(lease, end, { close: true, after: 1 });
        expect(await queue.append(lease, end, { close: true, after: 1 })).toBe(last);
        expect(await readAll()).toHaveLength(2);
        const more = queue.append(lease, end, { close: true, after: last });
        await expect(more).rejects.toThrow(TaskLogClosedError);
      });

      it('is not taken for a repeat because of commands that the writer does not know', async () => {
        const lease = await begin();
        await other.appendCommand(id, messageCommand('second'));
        await queue.append(lease, [taskEvent(id)], { after: 1 });
        expect(await readAll()).toHaveLength(3);
      });

      it('is refused to a writer whose lease was taken, whether it repeats or not', async () => {
        const stale = await begin();
        const last = await queue.append(stale, [taskEvent(id)], { after: 1 });
        const lease = await other.acquire(id, B, true);
        await expect(queue.append(stale, [taskEvent(id)], { after: 1 })).rejects.toThrow(LeaseLostError);
        await expect(queue.append(stale, [taskEvent(id)], { after: last })).rejects.toThrow(LeaseLostError);
        await other.append(lease!, [chunkEvent(id, '0')], { after: last });
        expect(await readAll()).toHaveLength(3);
      });

      it('logs each event once when every append is sent twice at the same time', async () => {
        const lease = await begin();
        let after = 1;
        for (let i = 0; i < 20; i++) {
          const send = () => queue.append(lease, [chunkEvent(id, `${i}`)], { after });
          const [first, second] = await Promise.all([send(), send()]);
          expect(second).toBe(first);
          after = first;
        }
        expect(await readAll()).toHaveLength(21);
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

      describe('with `once`', () => {
        const once = (text: string, digest = 'digest'): MessageCommand => {
          const command = messageCommand(text);
          return { ...command, message: { ...command.message, messageId: 'same' }, once: digest };
        };

        it('appends a message of that id once, and answers a repeat with its number', async () => {
          const lease = await begin();
          const first = await queue.appendCommand(id, once('second'));
          await queue.append(lease, [taskEvent(id)]);
          await queue.appendCommand(id, messageCommand('third'));
          const again = await other.appendCommand(id, once('second, again', 'another digest'));
          expect(again.sequence).toBe(first.sequence);
          const [record] = await other.read(id, first.sequence - 1, 1);
          expect(record!.command).toEqual(once('second'));
          expect(await readAll()).toHaveLength(4);
        });

        it('lets one of 20 at once in', async () => {
          await begin();
          const heads = await Promise.all(
            Array.from({ length: 20 }, (_, i) => (i % 2 ? queue : other).appendCommand(id, once(`${i}`))),
          );
          expect(new Set(heads.map(({ sequence }) => sequence))).toEqual(new Set([2]));
          expect(await readAll()).toHaveLength(2);
        });

        it('knows a repeat also where no room is left, and when the log is closed', async () => {
          const lease = await begin();
          const { sequence } = await queue.appendCommand(id, once('second'), 2);
          expect(await other.appendCommand(id, once('second'), 2)).toMatchObject({ sequence });
          await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
          expect(await other.appendCommand(id, once('second'), 2)).toMatchObject({ sequence, closed: true });
        });

        it('leaves apart other ids, other tasks, and the same id without it', async () => {
          await begin();
          await queue.appendCommand(id, once('second'));
          const { once: _, ...plain } = once('plain');
          await queue.appendCommand(id, plain);
          await queue.appendCommand(id, { ...messageCommand('another'), once: 'digest' });
          expect(await readAll()).toHaveLength(4);
          id = unique('task');
          await begin();
          expect(await queue.appendCommand(id, once('second'))).toMatchObject({ sequence: 2 });
        });
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

    describe('a lease that keeps the run state', () => {
      it.each(['parked', 'detached', 'queued'] as const)('leaves a %s log as it is', async (state) => {
        await queue.release(await begin(), state, 1);
        const lease = (await other.acquire(id, { ...B, keepState: true }))!;
        expect(lease.found).toBe(state);
        expect(await queue.head(id)).toMatchObject({ holder: B.holder, runState: state });
        await other.append(lease, [taskEvent(id)]);
        expect(await queue.acquire(id, A)).toBeUndefined();
        // A holder that is killed leaves what it found.
        const next = (await queue.acquire(id, A, true))!;
        expect(next.found).toBe(state);
        expect(next.token).toBeGreaterThan(lease.token);
        expect(await queue.head(id)).toMatchObject({ runState: 'running' });
      });

      it('lets messages to a detached task join its history meanwhile', async () => {
        await queue.release(await begin(), 'detached', 1);
        const lease = (await other.acquire(id, { ...B, keepState: true }))!;
        const head = await queue.appendCommand(id, messageCommand('more'));
        expect(head).toMatchObject({ runState: 'detached', taken: head.sequence });
        expect(await other.release(lease, 'detached', 1)).toBe(true);
      });
    });

    describe('a lease that expired', () => {
      const closing = () => [taskEvent(id), statusEvent(id, 'TASK_STATE_COMPLETED')];

      it('of a closed log can be taken, and is given back as an end', async () => {
        await begetOrphan(closing());
        const lease = (await other.acquire(id, B))!;
        expect(lease).toMatchObject({ holder: B.holder });
        expect(await queue.acquire(id, A)).toBeUndefined();
        expect(await queue.acquire(id, A, true)).toBeUndefined();
        await expect(other.append(lease, [taskEvent(id)])).rejects.toThrow(TaskLogClosedError);
        expect(await other.release(lease, 'ended', Infinity)).toBe(true);
        expect(await queue.head(id)).toMatchObject({ closed: true, runState: 'ended' });
        expect(await queue.acquire(id, A)).toBeUndefined();
        expect(await queue.acquire(id, A, true)).toBeUndefined();
      });

      it('of a closed log is taken by one of 20', async () => {
        await begetOrphan(closing());
        const wishes = Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? queue : other).acquire(id, i % 3 ? A : B),
        );
        expect((await Promise.all(wishes)).filter((lease) => lease !== undefined)).toHaveLength(1);
      });

      it('was that of a run: the log is found as running', async () => {
        await begetOrphan([taskEvent(id)]);
        expect((await other.acquire(id, B))!.found).toBe('running');
      });
    });

    describe('restore', () => {
      const floor = { sequence: 41, token: 7 };

      it('makes an empty log above the floor, under a lease', async () => {
        const origin = originOf({ tenant: 'tenant', skill: 'skill' });
        const lease = (await queue.restore(id, origin, floor, A))!;
        expect(lease).toMatchObject({ taskId: id, holder: A.holder });
        expect(lease.token).toBeGreaterThan(floor.token);
        const head = (await other.head(id))!;
        expect(head).toMatchObject({ ...origin, taskId: id, token: lease.token, holder: A.holder });
        expect(head).toMatchObject({ runState: 'running', closed: false });
        expect(head.sequence).toBeGreaterThanOrEqual(floor.sequence);
        expect(head.firstSequence).toBeGreaterThan(floor.sequence);
        // Nothing waits for a run.
        expect(head.taken).toBe(head.sequence);
        expect(await readAll(other)).toEqual([]);
      });

      it('goes on with numbers and tokens above the floor', async () => {
        const lease = (await queue.restore(id, originOf(), floor, A))!;
        const first = await queue.append(lease, [statusEvent(id, 'TASK_STATE_WORKING')], { after: 41 });
        expect(first).toBeGreaterThan(floor.sequence);
        expect(await queue.release(lease, 'parked', first)).toBe(true);
        const { sequence } = await other.appendCommand(id, messageCommand('next'));
        expect(sequence).toBeGreaterThan(first);
        const next = (await other.acquire(id, B))!;
        expect(next.found).toBe('parked');
        expect(next.token).toBeGreaterThan(lease.token);
        expect(await other.take(next, sequence)).toBe(1);
        expect(sequencesOf(await readAll())).toEqual([first, sequence]);
        expect(sequencesOf(await readAll(other, floor.sequence))).toEqual([first, sequence]);
        expect((await queue.head(id))!.firstSequence).toBe(first);
      });

      it('changes nothing where there is a log', async () => {
        await begin();
        expect(await other.restore(id, originOf({ owner: 'another' }), floor, B)).toBeUndefined();
        expect(await queue.head(id)).toMatchObject({ owner: 'owner', holder: A.holder, sequence: 1 });
        await expect(queue.create(id, originOf(), messageCommand('x'))).rejects.toThrow(TaskLogExistsError);
      });

      it('succeeds for one of 20 who try, and not beside a create', async () => {
        const wishes = Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? queue : other).restore(id, originOf(), floor, { holder: `${i}`, ttlMs: 60_000 }),
        );
        const [lease, ...more] = (await Promise.all(wishes)).filter((got) => got !== undefined);
        expect(more).toEqual([]);
        expect(await other.head(id)).toMatchObject({ holder: lease!.holder, token: lease!.token });
        for (let round = 0; round < 20; round++) {
          id = unique('task');
          const [restored, created] = await Promise.allSettled([
            queue.restore(id, originOf(), floor, A),
            other.create(id, originOf(), messageCommand('first'), B),
          ]);
          const winners = [
            restored!.status === 'fulfilled' && restored.value !== undefined,
            created!.status === 'fulfilled',
          ];
          expect(winners.filter(Boolean)).toHaveLength(1);
        }
      });

      it('makes a log that ends as others do', async () => {
        const lease = (await queue.restore(id, originOf(), floor, A))!;
        const end = [statusEvent(id, 'TASK_STATE_FAILED')];
        const last = await queue.append(lease, end, { close: true });
        expect(await queue.release(lease, 'ended', last)).toBe(true);
        expect(await other.head(id)).toMatchObject({ closed: true, sequence: last });
        expect(await other.withdraw(id)).toBe(false);
      });
    });

    describe('withdraw', () => {
      it('removes a log that nobody ever held, and tells its watchers', async () => {
        await queue.create(id, originOf(), messageCommand('first'));
        await queue.appendCommand(id, messageCommand('second'));
        let calls = 0;
        const unwatch = other.watch(id, () => (calls += 1));
        expect(await queue.withdraw(id)).toBe(true);
        await expect.poll(() => calls, { timeout: 5_000, interval: 5 }).toBeGreaterThan(0);
        unwatch();
        expect(await other.head(id)).toBeUndefined();
        expect(await readAll(other)).toEqual([]);
        expect(await other.acquire(id, B)).toBeUndefined();
        expect(await queue.withdraw(id)).toBe(false);
        // Its id is free again.
        expect(await other.create(id, originOf(), messageCommand('first'), B)).toBeDefined();
      });

      it('changes nothing once a lease was taken, also when it was given back', async () => {
        await queue.create(id, originOf(), messageCommand('first'));
        const lease = (await other.acquire(id, B))!;
        expect(await queue.withdraw(id)).toBe(false);
        await other.release(lease, 'queued', 1);
        expect(await queue.withdraw(id)).toBe(false);
        expect(await other.head(id)).toMatchObject({ runState: 'queued', sequence: 1 });
        id = unique('task');
        await begin();
        expect(await other.withdraw(id)).toBe(false);
        expect(await other.withdraw(unique('task'))).toBe(false);
      });

      it('and acquire exclude each other', async () => {
        for (let round = 0; round < 50; round++) {
          id = unique('task');
          await queue.create(id, originOf(), messageCommand('first'));
          const [withdrawn, lease] = await Promise.all([queue.withdraw(id), other.acquire(id, B)]);
          expect(withdrawn).toBe(lease === undefined);
          expect((await queue.head(id)) === undefined).toBe(withdrawn);
          if (lease) await other.append(lease, [taskEvent(id)]);
        }
      });
    });

    describe('abandoned', () => {
      const LATER = 60_000;
      const isAbandoned = async (queuedBefore = Date.now() + LATER): Promise<boolean> =>
        (await other.abandoned({ queuedBefore, limit: MANY })).includes(id);

      it('names logs whose lease has expired, closed ones too, until somebody takes and ends them', async () => {
        await begetOrphan([taskEvent(id)]);
        expect(await isAbandoned(0)).toBe(true);
        id = unique('task');
        await begetOrphan([taskEvent(id), statusEvent(id, 'TASK_STATE_COMPLETED')]);
        expect(await isAbandoned(0)).toBe(true);
        const lease = (await other.acquire(id, B))!;
        expect(await isAbandoned()).toBe(false);
        await other.release(lease, 'ended', Infinity);
        expect(await isAbandoned()).toBe(false);
      });

      it('names a detached log whose writer was lost', async () => {
        await queue.release(await begin(), 'detached', 1);
        expect(await isAbandoned()).toBe(false);
        await other.acquire(id, { ...SHORT, keepState: true });
        await expect.poll(() => isAbandoned(0), { timeout: 5_000 }).toBe(true);
      });

      it('names queued logs, and parked ones with a command, by the age of what waits', async () => {
        await queue.create(id, originOf(), messageCommand('first'));
        expect(await isAbandoned()).toBe(true);
        expect(await isAbandoned(Date.now() - LATER)).toBe(false);
        for (const command of [messageCommand('second'), cancelCommand()]) {
          id = unique('task');
          const lease = await begin();
          await queue.take(lease, 1);
          await queue.release(lease, 'parked', 1);
          expect(await isAbandoned()).toBe(false);
          await queue.appendCommand(id, command);
          expect(await isAbandoned()).toBe(true);
          expect(await isAbandoned(Date.now() - LATER)).toBe(false);
        }
      });

      it('names a log that was given back as queued although its message was taken', async () => {
        const lease = await begin();
        await queue.take(lease, 1);
        await queue.append(lease, [taskEvent(id)]);
        await queue.release(lease, 'queued', 1);
        expect(await isAbandoned()).toBe(true);
        expect(await isAbandoned(Date.now() - LATER)).toBe(false);
      });

      it('leaves alone what is held, parked, detached, or ended', async () => {
        let lease = await begin();
        await queue.appendCommand(id, messageCommand('second'));
        expect(await isAbandoned()).toBe(false);
        for (const state of ['parked', 'detached'] as const) {
          id = unique('task');
          lease = await begin();
          await queue.take(lease, 1);
          await queue.append(lease, [taskEvent(id)]);
          await queue.release(lease, state, 1);
          if (state === 'detached') await queue.appendCommand(id, messageCommand('more'));
          expect(await isAbandoned()).toBe(false);
        }
        id = unique('task');
        lease = await begin();
        await queue.append(lease, [statusEvent(id, 'TASK_STATE_COMPLETED')], { close: true });
        await queue.release(lease, 'ended', 2);
        expect(await isAbandoned()).toBe(false);
      });

      it('names no more than asked for', async () => {
        for (let i = 0; i < 3; i++) await queue.create(unique('task'), originOf(), messageCommand('first'));
        const named = await other.abandoned({ queuedBefore: Date.now() + LATER, limit: 2 });
        expect(named).toHaveLength(2);
      });
    });

    describe('claim', () => {
      const claimOf = (taskId: string) => ({ taskId, digest: `digest of ${taskId}` });

      it('stands for its window, and one of 20 at once stands', async () => {
        const key = unique('key');
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) => (i % 2 ? queue : other).claim(key, claimOf(`${i}`), 60_000)),
        );
        for (const answer of answers) expect(answer).toEqual(answers[0]);
        expect(await other.claim(key, claimOf('late'), 60_000)).toEqual(answers[0]);
        expect(await queue.claim(unique('key'), claimOf('other'), 60_000)).toEqual(claimOf('other'));
      });

      it('passes with its window', async () => {
        const key = unique('key');
        expect(await queue.claim(key, claimOf('first'), 50)).toEqual(claimOf('first'));
        await expect
          .poll(() => other.claim(key, claimOf('second'), 60_000), { timeout: 5_000 })
          .toEqual(claimOf('second'));
        expect(await queue.claim(key, claimOf('third'), 60_000)).toEqual(claimOf('second'));
      });

      it('of one window is not prolonged by those that come later', async () => {
        const key = unique('key');
        await queue.claim(key, claimOf('first'), 200);
        await other.claim(key, claimOf('second'), 60_000);
        await expect
          .poll(() => other.claim(key, claimOf('third'), 60_000), { timeout: 5_000 })
          .toEqual(claimOf('third'));
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

      it('answers which attempt it is: one for each lease under which the message was taken', async () => {
        const lease = await begin();
        expect(await queue.take(lease, 1)).toBe(1);
        // Sent again because its answer was lost.
        expect(await queue.take(lease, 1)).toBe(1);
        const second = (await other.acquire(id, B, true))!;
        expect(await other.take(second, 1)).toBe(2);
        expect(await other.take(second, 1)).toBe(2);
        await other.release(second, 'queued', 1);
        const third = (await queue.acquire(id, A))!;
        expect(third.found).toBe('queued');
        expect(await queue.take(third, 1)).toBe(3);
        const { sequence } = await other.appendCommand(id, messageCommand('next'));
        expect(await queue.take(third, sequence)).toBe(1);
        await queue.release(third, 'queued', sequence);
        expect(await other.take((await other.acquire(id, B))!, sequence)).toBe(2);
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
        const lease = (await queue.create(taskId, originOf(), messageCommand('first'), A))!;
        await queue.append(lease, [statusEvent(taskId, 'TASK_STATE_COMPLETED')], { close: true });
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

      it('spares what is needed yet, and goes on behind it', async () => {
        const ids = Array.from({ length: 8 }, () => unique('task'));
        for (const taskId of ids) await closeNow(taskId);
        const needed = ids.filter((_, i) => i < 3 || i === 5);
        const spare = async (some: readonly string[]) => [
          'another',
          ...needed.filter((id) => some.includes(id)),
        ];
        const left = async () => {
          const heads = await Promise.all(ids.map((taskId) => other.head(taskId)));
          return ids.filter((_, i) => heads[i]);
        };
        await queue.prune({ keepClosed: 1, spare });
        expect(await left()).toEqual([...needed, ids[7]]);
        await queue.prune({ closedBefore: Date.now() + 60_000, spare });
        expect(await left()).toEqual(needed);
        expect((await other.read(ids[0]!, 0)).length).toBeGreaterThan(0);
        await queue.prune({ keepClosed: 0 });
        expect(await left()).toEqual([]);
      });

      it('asks for many some at a time', async () => {
        const ids = Array.from({ length: 120 }, () => unique('task'));
        await Promise.all(ids.map(closeNow));
        const needed = new Set(ids.filter((_, i) => i % 2));
        const asked: string[] = [];
        const spare = async (some: readonly string[]) => {
          asked.push(...some);
          return some.filter((id) => needed.has(id));
        };
        await queue.prune({ closedBefore: Date.now() + 60_000, spare });
        expect(asked.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
        const heads = await Promise.all(ids.map((taskId) => other.head(taskId)));
        expect(ids.filter((_, i) => heads[i])).toEqual([...needed]);
        await queue.remove(...ids);
      });

      it('prunes nothing unless told what', async () => {
        await closeNow(unique('task'));
        await queue.prune({});
        expect(await other.head(id)).toBeDefined();
      });
    });
  });
}

function stateOf(event: LogEvent | undefined): TaskState | undefined {
  return event && 'statusUpdate' in event ? event.statusUpdate?.status.state : undefined;
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
