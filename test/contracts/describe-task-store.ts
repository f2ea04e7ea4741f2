import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  SnapshotConflictError,
  type PruneOptions,
  type TaskCursor,
  type TaskQuery,
  type TaskRecord,
  type TaskStore,
} from '../../lib/interfaces/task-store.js';
import type { Task, TaskState } from '../../lib/protocol/model.js';
import { at, unique } from './samples.js';
import { withFaults } from './with-faults.js';

/** A store under test, which is empty, and how to let go of it. */
export interface TaskStoreHost {
  readonly store: TaskStore;
  /** The same data through another connection, as another process has it; default: the same store. */
  readonly other?: TaskStore;
  close?(): Promise<void>;
}

interface Changes extends Partial<Omit<TaskRecord, 'task'>> {
  readonly task?: Partial<Task>;
  readonly state?: TaskState;
  readonly timestamp?: string;
}

/** What every TaskStore promises. */
export function describeTaskStore(name: string, factory: () => TaskStoreHost | Promise<TaskStoreHost>): void {
  describe(`TaskStore: ${name}`, () => {
    let host: TaskStoreHost;
    let store: TaskStore;
    let other: TaskStore;
    let scope: { readonly agent: string; readonly tenant: string; readonly owner: string };

    beforeEach(async () => {
      host = await factory();
      store = host.store;
      other = host.other ?? host.store;
      scope = { agent: 'agent', tenant: 'tenant', owner: unique('owner') };
    });

    afterEach(() => host.close?.());

    const recordOf = (id: string, sequence = 1, changes: Changes = {}): TaskRecord => {
      const { state = 'TASK_STATE_WORKING', timestamp = at(0), task, ...rest } = changes;
      const base: Task = { id, contextId: 'context', status: { state, timestamp } };
      return { ...scope, task: { ...base, ...task }, sequence, fence: 1, ...rest };
    };
    const query = (changes: Partial<TaskQuery> = {}): TaskQuery => ({ ...scope, pageSize: 100, ...changes });
    const idsOf = (records: readonly TaskRecord[]): string[] => records.map(({ task }) => task.id);

    describe('save and get', () => {
      it('answers what was saved, member by member', async () => {
        const id = unique('task');
        const record = recordOf(id, 7, {
          fence: 3,
          task: {
            metadata: { nested: { 'a.b': null, zero: 0, list: [1, 'ü\u0000😀', false] } },
            artifacts: [{ artifactId: 'a', parts: [{ data: null }, { raw: 'AAE=' }, { text: '' }] }],
            history: [{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
          },
        });
        await store.save(record);
        expect(await other.get(id)).toEqual(record);
        // Members keep their order: what goes out is what came in.
        expect(JSON.stringify((await other.get(id))!.task)).toBe(JSON.stringify(record.task));
      });

      it.each([
        [
          'an artifact of 3 MB',
          { artifacts: [{ artifactId: 'a', parts: [{ text: 'ü'.repeat(1_500_000) }] }] },
        ],
        [
          'NUL, lone surrogates and four-byte characters',
          { metadata: { a: '\u0000', b: '\ud800 \udc00', c: '😀\uffff' } },
        ],
        [
          'keys that are odd, and their order',
          { metadata: { z: 1, '': 2, constructor: 3, 'a"b\\': 4, a: 5 } },
        ],
        ['lists that are empty', { artifacts: [], history: [], metadata: {} }],
        ['no context', { contextId: undefined }],
        ['numbers at the edge', { metadata: { a: 2 ** 53 - 1, b: -1e-7, c: 1e300, d: 0.1 } }],
      ])('keeps %s', async (_, task) => {
        const id = unique('task');
        const record = recordOf(id, 2 ** 40, { fence: 2 ** 41, task });
        await store.save(record);
        const answer = (await other.get(id))!;
        expect(JSON.stringify(answer.task)).toBe(JSON.stringify(record.task));
        expect(answer).toMatchObject({ sequence: 2 ** 40, fence: 2 ** 41 });
      });

      it('answers undefined for an unknown id', async () => {
        expect(await store.get(unique('task'))).toBeUndefined();
      });

      it.each(['', '\u0000', '\ud800', 'x'.repeat(10_000), "'; DROP TABLE tasks; --", '%', '?'])(
        'knows no task with the id %j',
        async (id) => {
          expect(await store.get(id)).toBeUndefined();
          await store.delete(id);
        },
      );

      it('takes ids that are almost the same for different ones', async () => {
        const base = unique('Task');
        const ids = [
          base,
          base.toLowerCase(),
          base.toUpperCase(),
          `${base} `,
          ` ${base}`,
          `${base}ä`,
          `${base}a`,
        ];
        for (const [i, id] of ids.entries()) await store.save(recordOf(id, i + 1));
        for (const [i, id] of ids.entries()) expect(await other.get(id)).toMatchObject({ sequence: i + 1 });
      });

      it.each([
        ['case', 'Bob', 'bob'],
        ['a space at the end', 'bob', 'bob '],
        ['an accent', 'bob', 'böb'],
        ['NUL', 'bob\u0000', 'bob'],
        ['a lone surrogate', 'bob\ud800', 'bob\ud801'],
        ['its last of many characters', `${'b'.repeat(5_000)}1`, `${'b'.repeat(5_000)}2`],
      ])('keeps owners, tenants and contexts apart that differ by %s', async (_, mine, theirs) => {
        for (const mark of ['owner', 'tenant'] as const) {
          const [id, another] = [unique('task'), unique('task')];
          const [own, foreign] = [mine, theirs].map((value) => ({ ...scope, [mark]: scope[mark] + value }));
          await store.save(recordOf(id, 1, own));
          await store.save(recordOf(another, 1, foreign));
          expect(await other.get(id)).toMatchObject(own!);
          expect(await other.get(id, own)).toBeDefined();
          expect(await other.get(id, foreign)).toBeUndefined();
          expect(idsOf((await other.list(query(own))).records)).toEqual([id]);
        }
        const [id, another] = [unique('task'), unique('task')];
        await store.save(recordOf(id, 1, { task: { contextId: mine } }));
        await store.save(recordOf(another, 1, { task: { contextId: theirs } }));
        expect((await other.get(id))!.task.contextId).toBe(mine);
        expect(idsOf((await other.list(query({ contextId: mine }))).records)).toEqual([id]);
      });

      it('keeps what it answered and what it was given apart from later saves', async () => {
        const id = unique('task');
        const first = recordOf(id, 1);
        await store.save(first);
        const answer = await store.get(id);
        await store.save(recordOf(id, 2, { state: 'TASK_STATE_COMPLETED' }));
        expect(answer!.task.status.state).toBe('TASK_STATE_WORKING');
        expect(first.task.status.state).toBe('TASK_STATE_WORKING');
      });

      it.each(['agent', 'tenant', 'owner'])('hides a task from another %s', async (mark) => {
        const id = unique('task');
        await store.save(recordOf(id));
        expect(await store.get(id, scope)).toBeDefined();
        expect(await store.get(id, { ...scope, [mark]: 'another' })).toBeUndefined();
      });
    });

    describe('conditional save', () => {
      it.each([
        ['a higher sequence', 1, 6],
        ['a higher fence, whatever its sequence', 2, 1],
      ])('takes %s', async (_, fence, sequence) => {
        const id = unique('task');
        await store.save(recordOf(id, 5));
        await other.save(recordOf(id, sequence, { fence, state: 'TASK_STATE_COMPLETED' }));
        expect(await store.get(id)).toMatchObject({ fence, sequence });
      });

      it.each([
        ['a lower sequence', 3, 4],
        ['a lower fence, whatever its sequence', 2, 99],
      ])('refuses %s and changes nothing', async (_, fence, sequence) => {
        const id = unique('task');
        const stored = recordOf(id, 5, { fence: 3 });
        await store.save(stored);
        const late = other.save(recordOf(id, sequence, { fence, state: 'TASK_STATE_FAILED' }));
        await expect(late).rejects.toThrow(SnapshotConflictError);
        expect(await store.get(id)).toEqual(stored);
      });

      it('takes the same fence and sequence again as done', async () => {
        const id = unique('task');
        const record = recordOf(id, 5);
        await store.save(record);
        await other.save(record);
        expect(await store.get(id)).toEqual(record);
      });

      it('lets one of two writers of one read win', async () => {
        for (let round = 0; round < 20; round++) {
          const id = unique('task');
          await store.save(recordOf(id, 5, { fence: 1 }));
          const results = await Promise.allSettled([
            store.save(recordOf(id, 6, { fence: 2 })),
            other.save(recordOf(id, 9, { fence: 1 })),
          ]);
          expect(results[0]!.status).toBe('fulfilled');
          if (results[1]!.status === 'rejected')
            expect(results[1]!.reason).toBeInstanceOf(SnapshotConflictError);
          expect(await store.get(id)).toMatchObject({ fence: 2, sequence: 6 });
        }
      });

      it('refuses the second of two writers that began with one read', async () => {
        const id = unique('task');
        await store.save(recordOf(id, 5, { fence: 1 }));
        const read = (await store.get(id))!;
        const from = (fence: number, text: string): TaskRecord => ({
          ...read,
          fence,
          sequence: read.sequence + 1,
          task: { ...read.task, metadata: { text } },
        });
        const [mine, theirs] = [from(2, 'mine'), from(1, 'theirs')];
        await store.save(mine);
        await expect(other.save(theirs)).rejects.toThrow(SnapshotConflictError);
        expect(await other.get(id)).toEqual(mine);
      });

      it('loses nothing when snapshots overtake each other, and a cancel stays', async () => {
        const id = unique('task');
        const line = withFaults(store, { latency: () => Math.random() * 20 });
        const parts = (what: string, count: number) =>
          Array.from({ length: count }, (_, i) => ({ text: `${what} ${i}` }));
        // One writer: 50 chunks and 50 messages by turns, then the cancel. Each snapshot has all that came before it.
        const snapshots = Array.from({ length: 101 }, (_, i) =>
          recordOf(id, i + 1, {
            state: i < 100 ? 'TASK_STATE_WORKING' : 'TASK_STATE_CANCELED',
            timestamp: at(i),
            task: {
              artifacts: [{ artifactId: 'a', parts: parts('chunk', Math.ceil(i / 2)) }],
              history: parts('message', Math.floor(i / 2)).map((part, n) => ({
                messageId: String(n),
                role: 'ROLE_USER',
                parts: [part],
              })),
            },
          }),
        );
        const last = snapshots.at(-1)!;
        const results = await Promise.allSettled(
          snapshots.map((record, i) => (i % 2 ? line : other).save(record)),
        );
        expect(await store.get(id)).toEqual(last);
        expect(results.at(-1)!.status).toBe('fulfilled');
        const refused = results.filter((result) => result.status === 'rejected');
        for (const { reason } of refused) expect(reason).toBeInstanceOf(SnapshotConflictError);
        for (const late of snapshots.slice(0, -1))
          await expect(other.save(late)).rejects.toThrow(SnapshotConflictError);
        expect(await store.get(id)).toEqual(last);
      });

      it('lets 100 writers create a task at once: the newest stays, whole', async () => {
        const id = unique('task');
        const order = Array.from({ length: 100 }, (_, i) => i + 1).toSorted(() => Math.random() - 0.5);
        const saves = order.map((n) =>
          (n % 2 ? store : other).save(
            recordOf(id, 1, {
              fence: n,
              task: {
                contextId: String(n),
                metadata: { n },
                history: [{ messageId: String(n), role: 'ROLE_USER', parts: [] }],
              },
            }),
          ),
        );
        const results = await Promise.allSettled(saves);
        for (const result of results) {
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(SnapshotConflictError);
        }
        expect(await store.get(id)).toMatchObject({
          fence: 100,
          task: { contextId: '100', metadata: { n: 100 }, history: [{ messageId: '100' }] },
        });
      });

      it('ends at the newest of 200 writers, each of whom knows whether it was saved', async () => {
        const id = unique('task');
        const line = withFaults(store, { latency: () => Math.random() * 10 });
        const saves = Array.from({ length: 200 }, (_, i) => (i % 2 ? line : other).save(recordOf(id, i + 1)));
        const results = await Promise.allSettled(saves);
        for (const result of results) {
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(SnapshotConflictError);
        }
        expect(results[199]!.status).toBe('fulfilled');
        expect(await store.get(id)).toMatchObject({ sequence: 200 });
      });
    });

    describe('list', () => {
      it('orders by status time, newest first, then by id', async () => {
        const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((letter) => `${letter}-${unique('task')}`);
        await store.save(recordOf(c!, 1, { timestamp: at(1) }));
        await store.save(recordOf(a!, 1, { timestamp: at(1) }));
        await store.save(recordOf(b!, 1, { timestamp: at(1) }));
        await store.save(recordOf(d!, 1, { timestamp: at(2) }));
        expect(idsOf((await store.list(query())).records)).toEqual([d, a, b, c]);
      });

      it.each(['agent', 'tenant', 'owner'])('lists nothing of another %s', async (mark) => {
        await store.save(recordOf(unique('task'), 1, { [mark]: 'another' }));
        expect(await store.list(query())).toEqual({ records: [], totalSize: 0 });
      });

      it('filters by context, status and status time', async () => {
        const [x, y, z] = [unique('x'), unique('y'), unique('z')];
        await store.save(recordOf(x, 1, { timestamp: at(1), task: { contextId: 'one' } }));
        await store.save(recordOf(y, 1, { timestamp: at(2), state: 'TASK_STATE_FAILED' }));
        await store.save(recordOf(z, 1, { timestamp: at(3), state: 'TASK_STATE_FAILED' }));
        const found = async (changes: Partial<TaskQuery>): Promise<string[]> =>
          idsOf((await store.list(query(changes))).records);
        expect(await found({ contextId: 'one' })).toEqual([x]);
        expect(await found({ status: 'TASK_STATE_FAILED' })).toEqual([z, y]);
        expect(await found({ statusTimestampAfter: at(2) })).toEqual([z, y]);
        // The same moment in another notation.
        expect(await found({ statusTimestampAfter: '2026-01-01T01:00:02+01:00' })).toEqual([z, y]);
        expect(await found({ status: 'TASK_STATE_FAILED', contextId: 'one' })).toEqual([]);
      });

      it('pages through all tasks once, and says how many there are', async () => {
        const ids = Array.from({ length: 25 }, () => unique('task'));
        for (const [i, id] of ids.entries())
          await store.save(recordOf(id, 1, { timestamp: at(Math.floor(i / 3)) }));
        const seen: string[] = [];
        let page = await store.list(query({ pageSize: 4 }));
        for (;;) {
          expect(page.totalSize).toBe(25);
          seen.push(...idsOf(page.records));
          if (!page.next) break;
          expect(page.records).toHaveLength(4);
          page = await store.list(query({ pageSize: 4, after: page.next }));
        }
        expect(seen.toSorted()).toEqual(ids.toSorted());
      });

      it.each(['\u0000', '\ud800', 'x'.repeat(1_000)])(
        'begins after a place with the odd id %j',
        async (id) => {
          await store.save(recordOf(unique('task'), 1, { timestamp: at(1) }));
          expect((await store.list(query({ after: { timestamp: at(0), id } }))).records).toEqual([]);
          expect((await store.list(query({ after: { timestamp: at(2), id } }))).records).toHaveLength(1);
        },
      );

      it('has no next page after a page that is full and the last', async () => {
        await store.save(recordOf(unique('task')));
        await store.save(recordOf(unique('task')));
        expect((await store.list(query({ pageSize: 2 }))).next).toBeUndefined();
      });

      it('neither repeats nor leaves out a task that stays where it is while others move', async () => {
        const ids = Array.from({ length: 12 }, () => unique('task'));
        for (const [i, id] of ids.entries()) await store.save(recordOf(id, 1, { timestamp: at(100 - i) }));
        const first = await store.list(query({ pageSize: 5 }));
        // One of the first page is deleted, and a new one comes before all.
        await store.delete(ids[1]!);
        await store.save(recordOf(unique('task'), 1, { timestamp: at(200) }));
        const rest = await store.list(query({ pageSize: 100, after: first.next }));
        expect(idsOf(rest.records)).toEqual(ids.slice(5));
      });
    });

    describe('delete, prune and staleSince', () => {
      const finished = (id: string, timestamp: string): TaskRecord =>
        recordOf(id, 1, { state: 'TASK_STATE_COMPLETED', timestamp });

      const pruneAll = async (options: Partial<PruneOptions>, by = store): Promise<string[]> => {
        const all: string[] = [];
        let after: TaskCursor | undefined;
        do {
          const { ids, next } = await by.prune({ limit: 200, ...options, after });
          all.push(...ids);
          after = next;
        } while (after);
        return all;
      };

      it('forgets a deleted task, and takes its id anew', async () => {
        const id = unique('task');
        await store.save(recordOf(id, 9));
        await store.delete(id);
        await store.delete(id);
        expect(await store.get(id)).toBeUndefined();
        await store.save(recordOf(id, 1));
        expect(await store.get(id)).toMatchObject({ sequence: 1 });
      });

      it('prunes what finished before a time, live tasks never', async () => {
        const [old, recent, live] = [unique('old'), unique('recent'), unique('live')];
        // The order of saving is not the order of the times.
        await store.save(finished(recent, at(50)));
        await store.save(finished(old, at(1)));
        await store.save(recordOf(live, 1, { timestamp: at(0) }));
        expect(await pruneAll({ finishedBefore: at(50) })).toEqual([old]);
        expect(await store.get(old)).toBeUndefined();
        expect(await store.get(recent)).toBeDefined();
        expect(await store.get(live)).toBeDefined();
      });

      it('prunes the oldest above a count, some at a time', async () => {
        const ids = Array.from({ length: 6 }, () => unique('task'));
        for (const [i, id] of ids.entries()) await store.save(finished(id, at(i)));
        await store.save(recordOf(unique('live')));
        const first = await store.prune({ keepFinished: 2, limit: 1 });
        expect(first).toEqual({ ids: [ids[0]], next: expect.anything() });
        const rest = await other.prune({ keepFinished: 2, limit: 10, after: first.next });
        expect(rest).toEqual({ ids: ids.slice(1, 4) });
        expect(await store.prune({ keepFinished: 2, limit: 10 })).toEqual({ ids: [] });
      });

      it('prunes to a count when two processes do so at once', async () => {
        const ids = Array.from({ length: 30 }, () => unique('task'));
        for (const [i, id] of ids.entries()) await store.save(finished(id, at(i)));
        const pruned = await Promise.all([
          pruneAll({ keepFinished: 10, limit: 7 }),
          pruneAll({ keepFinished: 10, limit: 7 }, other),
        ]);
        expect([...new Set(pruned.flat())].toSorted()).toEqual(ids.slice(0, 20).toSorted());
        expect(idsOf((await store.list(query())).records)).toEqual(ids.slice(20).toReversed());
      });

      it('prunes more than one call looks at', async () => {
        const ids = Array.from({ length: 450 }, (_, i) => `${unique('task')}-${i}`);
        await Promise.all(ids.map((id, i) => store.save(finished(id, at(i)))));
        expect(await pruneAll({ finishedBefore: at(430), limit: 200 })).toEqual(ids.slice(0, 430));
        expect((await store.list(query())).totalSize).toBe(20);
      });

      it('spares what is needed yet, and goes on behind it, asking once for each', async () => {
        const ids = Array.from({ length: 60 }, (_, i) => `${unique('task')}-${i}`);
        for (const [i, id] of ids.entries()) await store.save(finished(id, at(i)));
        const needed = ids.filter((_, i) => i < 25 || i % 10 === 9);
        const asked: string[] = [];
        const spare = async (some: readonly string[]): Promise<readonly string[]> => {
          expect(some.length).toBeGreaterThan(0);
          expect(some.length).toBeLessThanOrEqual(7);
          asked.push(...some);
          return [...needed, 'another'].filter((id) => id === 'another' || some.includes(id));
        };
        const old = ids.slice(0, 50).filter((id) => !needed.includes(id));
        expect(await pruneAll({ finishedBefore: at(50), limit: 7, spare })).toEqual(old);
        expect(asked).toEqual(ids.slice(0, 50));
        // What is spared counts as well: the caps are for the newest.
        asked.length = 0;
        expect(await pruneAll({ keepFinished: 12, limit: 7, spare })).toEqual([]);
        expect(asked.every((id) => needed.includes(id))).toBe(true);
        expect(await pruneAll({ keepFinished: 5, limit: 7, spare })).toEqual(ids.slice(50, 55));
        const left = ids.filter((id) => needed.includes(id) || ids.indexOf(id) >= 55);
        expect((await store.list(query())).totalSize).toBe(left.length);
        expect(await pruneAll({ finishedBefore: at(100), limit: 7 })).toEqual(left);
      });

      it('spares what is needed while two processes prune', async () => {
        const ids = Array.from({ length: 30 }, () => unique('task'));
        for (const [i, id] of ids.entries()) await store.save(finished(id, at(i)));
        const needed = ids.filter((_, i) => i % 3 === 0);
        const spare = async (some: readonly string[]) => some.filter((id) => needed.includes(id));
        const options = { keepFinished: 3, limit: 4, spare };
        const pruned = await Promise.all([pruneAll(options), pruneAll(options, other)]);
        const old = ids.slice(0, 27).filter((id) => !needed.includes(id));
        expect([...new Set(pruned.flat())].toSorted()).toEqual(old.toSorted());
        const left = idsOf((await store.list(query())).records);
        expect(left).toEqual(ids.filter((id) => !old.includes(id)).toReversed());
      });

      it('prunes nothing unless told what', async () => {
        await store.save(finished(unique('task'), at(0)));
        expect(await store.prune({ limit: 10 })).toEqual({ ids: [] });
      });

      it('names live tasks whose status is older than a time, oldest first', async () => {
        const [first, second, third] = [unique('a'), unique('b'), unique('c')];
        await store.save(recordOf(second, 1, { timestamp: at(2) }));
        await store.save(recordOf(first, 1, { timestamp: at(1) }));
        await store.save(recordOf(third, 1, { timestamp: at(3) }));
        await store.save(finished(unique('done'), at(0)));
        const placeOf = (id: string, second: number) => ({ timestamp: at(second), id });
        expect(await store.staleSince(at(3), 10)).toEqual([placeOf(first, 1), placeOf(second, 2)]);
        expect(await store.staleSince(at(3), 1)).toEqual([placeOf(first, 1)]);
      });

      it('names them page by page, each once', async () => {
        const ids = Array.from({ length: 7 }, () => unique('task'));
        for (const [i, id] of ids.entries())
          await store.save(recordOf(id, 1, { timestamp: at(Math.floor(i / 3)) }));
        const seen: string[] = [];
        for (let page = await store.staleSince(at(9), 2); page.length > 0;) {
          expect(page.length).toBeLessThanOrEqual(2);
          seen.push(...page.map(({ id }) => id));
          page = await store.staleSince(at(9), 2, page.at(-1));
        }
        expect(seen).toHaveLength(7);
        expect(seen.toSorted()).toEqual(ids.toSorted());
      });
    });
  });
}
