import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { PLATFORMS } from './support/app.js';
import { BINDINGS, type Params, Peer } from './support/peer.js';
import { artifactTexts } from './support/show.js';

describe.each(PLATFORMS)('ListTasks (§3.1.4) on %s', (adapter) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: adapter, AUTH: 'bearer' });
  });
  afterAll(() => fixture?.close());

  describe.each(BINDINGS)('over %s', (binding) => {
    let peer: Peer;
    let done: Task[];
    let parked: Task[];
    let talk: Task[];
    let all: Task[];

    const list = (params: Params = {}) => peer.ok('ListTasks', params);
    const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

    async function pages(params: Params): Promise<any[]> {
      const found = [];
      for (let pageToken = ''; ;) {
        const page = await list({ ...params, ...(pageToken && { pageToken }) });
        found.push(page);
        pageToken = page.nextPageToken;
        if (pageToken === '') return found;
      }
    }

    beforeAll(async () => {
      peer = new Peer(`${fixture.base}/a2a`, binding).as(`lister ${binding}`);
      done = [];
      for (let i = 0; i < 4; i++) done.push(await peer.send('quick'));
      await sleep(5);
      // At once, so that status times are often the same.
      parked = await Promise.all(Array.from({ length: 6 }, () => peer.send('park')));
      await sleep(5);
      talk = [];
      for (let i = 0; i < 2; i++) talk.push(await peer.send('quick', { message: { contextId: 'talk' } }));
      all = [...done, ...parked, ...talk];
    });

    it('answers all four members, also when there is nothing', async () => {
      expect(await list()).toEqual({
        tasks: expect.any(Array),
        nextPageToken: '',
        pageSize: 50,
        totalSize: all.length,
      });
      expect(await peer.as('nobody').ok('ListTasks')).toEqual({
        tasks: [],
        nextPageToken: '',
        pageSize: 50,
        totalSize: 0,
      });
    });

    it('orders by status time, newest first, then by id', async () => {
      const { tasks } = await list();
      const keys = tasks.map(({ status, id }: Task) => [status.timestamp!, id] as const);
      const sorted = keys.toSorted(([a, i]: string[], [b, j]: string[]) =>
        a === b ? (i! < j! ? -1 : 1) : a! > b! ? -1 : 1,
      );
      expect(keys).toEqual(sorted);
      expect(ids(tasks).toSorted()).toEqual(ids(all).toSorted());
    });

    it('leaves artifacts out unless asked, and has them as a list when asked', async () => {
      for (const params of [{}, { includeArtifacts: false }]) {
        const { tasks } = await list(params);
        for (const task of tasks) expect(task).not.toHaveProperty('artifacts');
      }
      const { tasks } = await list({ includeArtifacts: true });
      for (const task of tasks) {
        const isParked = task.status.state === 'TASK_STATE_INPUT_REQUIRED';
        expect(task.artifacts).toBeInstanceOf(Array);
        expect(artifactTexts(task)).toEqual(isParked ? [] : ['Hello, quick']);
      }
    });

    it.each([1, 3, 5, 12, 100])('gives every task once with pageSize %i', async (pageSize) => {
      const found = await pages({ pageSize });
      expect(ids(found.flatMap(({ tasks }) => tasks))).toEqual(ids((await list()).tasks));
      expect(found).toHaveLength(Math.ceil(all.length / pageSize));
      for (const page of found) expect(page).toMatchObject({ pageSize, totalSize: all.length });
      for (const page of found.slice(0, -1)) expect(page.tasks).toHaveLength(pageSize);
    });

    it.each([0, -1, 101, 1_000, -2_147_483_648])('refuses pageSize %i', async (pageSize) => {
      const refusal = await peer.refused('ListTasks', { pageSize });
      expect(refusal).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['pageSize'] });
      expect(refusal.code).toBe(binding === 'JSONRPC' ? -32602 : 400);
    });

    it.each([
      ['pageSize', 'ten'],
      ['pageSize', 1.5],
      ['historyLength', -1],
      ['status', 'working'],
      ['status', 'TASK_STATE_GONE'],
      ['statusTimestampAfter', 'yesterday'],
      ['statusTimestampAfter', '2025-02-30T00:00:00Z'],
      ['includeArtifacts', 'maybe'],
      ['pageToken', 'junk'],
      ['pageToken', Buffer.from('["a","b","c"]').toString('base64url')],
      ['pageToken', Buffer.from('{}').toString('base64url')],
    ])('refuses %s %j', async (name, value) => {
      const refusal = await peer.refused('ListTasks', { [name]: value });
      expect(refusal).toMatchObject({ reason: 'INVALID_PARAMS', fields: [name] });
    });

    it('filters by context and by state', async () => {
      expect(ids((await list({ contextId: 'talk' })).tasks).toSorted()).toEqual(ids(talk).toSorted());
      expect((await list({ contextId: 'talk' })).totalSize).toBe(2);
      expect((await list({ contextId: 'nothing' })).totalSize).toBe(0);
      const { tasks, totalSize } = await list({ status: 'TASK_STATE_INPUT_REQUIRED', pageSize: 4 });
      expect({ shown: tasks.length, totalSize }).toEqual({ shown: 4, totalSize: 6 });
      const found = await pages({ status: 'TASK_STATE_INPUT_REQUIRED', pageSize: 4 });
      expect(ids(found.flatMap((page) => page.tasks)).toSorted()).toEqual(ids(parked).toSorted());
      const both = await list({ contextId: 'talk', status: 'TASK_STATE_INPUT_REQUIRED' });
      expect(both).toMatchObject({ tasks: [], totalSize: 0 });
    });

    it('takes statusTimestampAfter at or after, in any offset', async () => {
      const after = parked.map(({ status }) => status.timestamp!).toSorted()[0]!;
      const since = [...parked, ...talk];
      expect(ids((await list({ statusTimestampAfter: after })).tasks).toSorted()).toEqual(
        ids(since).toSorted(),
      );
      const elsewhere = new Date(Date.parse(after) + 2 * 3_600_000).toISOString().replace('Z', '+02:00');
      expect((await list({ statusTimestampAfter: elsewhere })).totalSize).toBe(since.length);
      expect((await list({ statusTimestampAfter: '2999-01-01T00:00:00Z' })).totalSize).toBe(0);
      expect((await list({ statusTimestampAfter: '2000-01-01T00:00:00Z' })).totalSize).toBe(all.length);
    });

    it.each([
      ['another context', { contextId: 'talk' }],
      ['another state', { status: 'TASK_STATE_COMPLETED' }],
      ['another time', { statusTimestampAfter: '2000-01-01T00:00:00Z' }],
      ['another tenant', { tenant: 't2' }],
    ])('refuses a token with %s', async (_, filter) => {
      const { nextPageToken } = await list({ pageSize: 3 });
      const refusal = await peer.refused('ListTasks', { pageSize: 3, ...filter, pageToken: nextPageToken });
      expect(refusal).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['pageToken'] });
    });

    it("refuses another caller's token", async () => {
      const { nextPageToken } = await list({ pageSize: 3 });
      const refusal = await peer.as('somebody else').refused('ListTasks', { pageToken: nextPageToken });
      expect(refusal).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['pageToken'] });
    });

    it('lets the page size, the history and the artifacts change between pages', async () => {
      const first = await list({ pageSize: 5 });
      const rest = await list({
        pageSize: 100,
        includeArtifacts: true,
        historyLength: 0,
        pageToken: first.nextPageToken,
      });
      expect([...ids(first.tasks), ...ids(rest.tasks)]).toEqual(ids((await list()).tasks));
    });

    it('keeps pages stable while tasks come and move', async () => {
      const mover = new Peer(peer.url, binding).as(`mover ${binding}`);
      const own = await Promise.all(Array.from({ length: 8 }, () => mover.send('park')));
      const first = await mover.ok('ListTasks', { pageSize: 3 });
      const oldest = (await mover.ok('ListTasks')).tasks.at(-1);
      const seen: Task[] = [...first.tasks];
      const unmoved = new Set(ids(own).filter((id) => id !== oldest.id));
      // One comes, and one moves to the front: neither may shift the pages that follow.
      await mover.send('quick');
      await mover.reply(oldest, 'again');
      for (let token = first.nextPageToken; token !== '';) {
        const page = await mover.ok('ListTasks', { pageSize: 3, pageToken: token });
        seen.push(...page.tasks);
        token = page.nextPageToken;
      }
      expect(ids(seen)).toHaveLength(new Set(ids(seen)).size);
      expect(ids(seen).filter((id) => unmoved.has(id))).toHaveLength(unmoved.size);
    });

    it('gives each page in full while a task on it moves on', async () => {
      const walker = new Peer(peer.url, binding).as(`walker ${binding}`);
      const own = await Promise.all(Array.from({ length: 6 }, () => walker.send('park')));
      let walking = true;
      const moving = (async () => {
        for (let i = 0; i < 15; i++) await walker.reply(own[i % own.length]!, `step ${i}`);
        walking = false;
      })();
      const state = 'TASK_STATE_INPUT_REQUIRED';
      for (let i = 0; walking; i++) {
        const page = await walker.ok('ListTasks', i % 2 ? { pageSize: 4 } : { pageSize: 4, status: state });
        // A moving task stays parked but for the blink of its run, and is counted once.
        expect(new Set(ids(page.tasks)).size).toBe(page.tasks.length);
        expect(page.totalSize).toBeLessThanOrEqual(own.length);
        if (i % 2) expect(page).toMatchObject({ totalSize: own.length, tasks: { length: 4 } });
        for (const task of page.tasks) if (i % 2 === 0) expect(task.status.state).toBe(state);
      }
      await moving;
    });

    it('shows live tasks as they are, tail of the log included', async () => {
      const viewer = peer.as(`viewer ${binding}`);
      const { id } = await viewer.start('slow:3');
      for (;;) {
        const { tasks } = await viewer.ok('ListTasks', { includeArtifacts: true });
        expect(tasks).toHaveLength(1);
        const [task] = tasks;
        if (task.status.state === 'TASK_STATE_COMPLETED') break;
        const now = await viewer.get(id);
        // Read later, so it knows at least as much.
        expect((now.artifacts?.[0]?.parts ?? []).slice(0, task.artifacts[0]?.parts.length ?? 0)).toEqual(
          task.artifacts[0]?.parts ?? [],
        );
        await sleep(30);
      }
    });
  });
});
