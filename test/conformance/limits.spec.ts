import { AgentExecutor, MemoryPushNotificationConfigStore, type RequestContext, Skill } from 'nest-a2a';
import { afterEach, describe, expect, it } from 'vitest';
import { RunSlots } from '../../lib/execution/run-slots.js';
import { M } from '../support/message.js';
import { sse } from '../support/sse.js';
import { type ModuleOptions, OPTIONAL_USERS, PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { BINDINGS, type Params, type Peer } from './support/peer.js';
import { stateOf } from './support/show.js';

/** Waits until it is told to go on, or asks back. */
@Skill({ id: 'wait', name: 'Wait', description: 'Waits', tags: ['test'] })
@AgentExecutor({
  name: 'Waiter',
  description: 'Waits',
  version: '1',
  capabilities: { streaming: true, pushNotifications: true },
})
class Waiter {
  runs = 0;

  async execute({ updater, userInput, signal }: RequestContext): Promise<void> {
    this.runs += 1;
    if (userInput === 'park') return updater.requiresInput();
    await updater.startWork();
    if (userInput === 'wait') {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return;
    }
    await updater.complete();
  }
}

const params = (text: string, extra: object = {}) => M(text, extra) as object as Params;
const HOOK = 'https://example.com/hook';
const LOOKUP = { lookup: async () => [{ address: '93.184.215.14', family: 4 }] };

describe.each(PLATFORMS)('limits on %s', (platform) => {
  let served: ServedApp;
  let agent: Waiter;
  const serve = async (limits: ModuleOptions['limits']): Promise<void> => {
    served = await serveApp(platform, {
      agents: [Waiter],
      providers: [OPTIONAL_USERS],
      options: {
        limits,
        urls: LOOKUP,
        pushNotificationConfigStore: new MemoryPushNotificationConfigStore(),
        execution: { cancelGraceMs: 100, drainMs: 100 },
      },
    });
    agent = served.app.get(Waiter);
  };
  afterEach(() => served?.close());

  describe.each(BINDINGS)('over %s', (binding) => {
    /** Refused for good, by a name of the field, and nothing happens. */
    async function refusedField(peer: Peer, request: Params, field: string, description: string) {
      const { runs } = agent;
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        const refusal = await peer.refused(operation, request);
        expect(refusal).toMatchObject({ reason: 'INVALID_PARAMS', fields: [field] });
        expect(JSON.stringify(refusal.details)).toContain(description);
      }
      expect(agent.runs).toBe(runs);
    }

    it('of a message: parts, metadata and references', async () => {
      await serve({ parts: 2, metadataBytes: 20, metadataMembers: 2, referenceTasks: 1 });
      const peer = served.peer(binding);
      const parts = (count: number) => Array.from({ length: count }, () => ({ text: 'quick' }));
      const refusals: [extra: object, field: string, description: string][] = [
        [{ message: { parts: parts(3) } }, 'message.parts', 'has 3 parts; at most 2'],
        [{ message: { referenceTaskIds: ['a', 'b'] } }, 'message.referenceTaskIds', 'has 2 ids; at most 1'],
        [{ metadata: { a: 1, b: 2, c: 3 } }, 'metadata', 'has 3 members; at most 2'],
        [
          { message: { metadata: { a: 'ä'.repeat(7) } } },
          'message.metadata',
          'has 22 bytes of JSON; at most 20',
        ],
        [
          { message: { parts: [{ text: '' }, { text: '', metadata: { a: { b: 'x'.repeat(20) } } }] } },
          'message.parts[1].metadata',
          'bytes of JSON; at most 20',
        ],
      ];
      for (const [extra, field, description] of refusals)
        await refusedField(peer, params('quick', extra), field, description);
      const most = {
        metadata: { a: 1, b: 2 },
        message: { parts: parts(2), referenceTaskIds: ['a'], metadata: { a: 'x'.repeat(12) } },
      };
      expect(stateOf(await peer.send('quick', most))).toBe('COMPLETED');
    });

    it('of the metadata of a cancel', async () => {
      await serve({ metadataMembers: 1 });
      const peer = served.peer(binding);
      const { id } = await peer.send('park');
      const refusal = await peer.refused('CancelTask', { id, metadata: { a: 1, b: 2 } });
      expect(refusal).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['metadata'] });
      expect(stateOf(await peer.ok('CancelTask', { id, metadata: { a: 1 } }))).toBe('CANCELED');
    });

    it('of a history: what it takes, and how much of it is shown', async () => {
      await serve({ history: 3, shownHistory: 2 });
      const peer = served.peer(binding);
      const { id, contextId } = await peer.send('park');
      const message = { taskId: id };
      await peer.send('park', { message });
      const third = await peer.send('park', { message });
      const textsOf = (task: { history?: { parts: { text?: string }[] }[] }) => task.history?.length;
      expect(textsOf(third)).toBe(2);
      expect(textsOf(await peer.get(id))).toBe(2);
      expect(textsOf(await peer.ok('GetTask', { id, historyLength: 50 }))).toBe(2);
      expect(textsOf(await peer.ok('GetTask', { id, historyLength: 1 }))).toBe(1);
      expect((await peer.ok('GetTask', { id, historyLength: 0 })).history).toBeUndefined();
      expect(textsOf((await peer.ok('ListTasks')).tasks[0])).toBe(2);
      const { runs } = agent;
      const refusal = await peer.refused('SendMessage', params('park', { message }));
      expect(refusal).toMatchObject({ reason: 'UNSUPPORTED_OPERATION', metadata: { taskId: id, contextId } });
      expect(refusal.message).toContain('has 3 messages in its history');
      expect(agent.runs).toBe(runs);
      const end = new AbortController();
      const stream = await peer.request('SubscribeToTask', { id }, end.signal);
      for await (const { data } of sse(stream)) {
        expect(JSON.stringify(data).match(/messageId/g)).toHaveLength(2);
        break;
      }
      end.abort();
      expect(textsOf(await peer.ok('CancelTask', { id }))).toBe(2);
    });

    it('of webhooks: many at once do not get past it, and each may be replaced', async () => {
      await serve({ pushConfigs: 3 });
      const peer = served.peer(binding);
      const { id: taskId } = await peer.send('park');
      const create = (id: string) =>
        peer.call('CreateTaskPushNotificationConfig', { taskId, id, url: HOOK, token: id });
      const outcomes = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(create));
      const refusals = outcomes.flatMap(({ refusal }) => refusal ?? []);
      expect(refusals).toHaveLength(3);
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({ reason: 'INVALID_PARAMS', metadata: { taskId, limit: '3' } });
        expect(refusal.message).toContain('delete one of them, or replace one by giving its id');
      }
      const { configs } = await peer.ok('ListTaskPushNotificationConfigs', { taskId });
      expect(configs).toHaveLength(3);
      const kept = configs[0].id as string;
      expect((await create(kept)).refusal).toBeUndefined();
      expect((await create('g')).refusal).toBeDefined();
      await peer.ok('DeleteTaskPushNotificationConfig', { taskId, id: kept });
      expect((await create('g')).refusal).toBeUndefined();
    });

    it('of open streams: for one owner, and for all of them', async () => {
      await serve({ streamsPerOwner: 2, streams: 3 });
      const [ann, bob] = ['ann', 'bob'].map((name) => served.peer(binding).as(name)) as [Peer, Peer];
      const { id } = await ann.start('wait');
      const ends: AbortController[] = [];
      const open = async (
        peer: Peer,
        operation: 'SubscribeToTask' | 'SendStreamingMessage',
        with_: Params,
      ) => {
        const end = new AbortController();
        const response = await peer.request(operation, with_, end.signal);
        expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
        ends.push(end);
      };
      await open(ann, 'SubscribeToTask', { id });
      await open(ann, 'SendStreamingMessage', params('wait'));
      const { runs } = agent;
      for (const [operation, request] of [
        ['SubscribeToTask', { id }],
        ['SendStreamingMessage', params('wait')],
      ] as const) {
        const refusal = await ann.refused(operation, request);
        expect(refusal).toMatchObject({
          reason: 'RESOURCE_EXHAUSTED',
          httpStatus: 429,
          metadata: { limit: '2' },
        });
        expect(refusal.headers.get('retry-after')).toBe('5');
        expect(refusal.message).toContain('2 open streams');
      }
      await open(bob, 'SendStreamingMessage', params('wait'));
      const full = await bob.refused('SendStreamingMessage', params('wait'));
      expect(full).toMatchObject({ reason: 'UNAVAILABLE', httpStatus: 503 });
      expect(full.headers.get('retry-after')).toBe('5');
      expect(agent.runs).toBe(runs + 1);

      // A stream that could not be opened takes no room, nor does one whose client left.
      await bob.refused('SubscribeToTask', { id: 'none' });
      ends[0]!.abort();
      await expect
        .poll(async () => (await ann.call('SubscribeToTask', { id: 'none' })).refusal?.reason)
        .toBe('TASK_NOT_FOUND');
      await open(ann, 'SubscribeToTask', { id });
      for (const end of ends) end.abort();
    });

    it('of tasks that run: for one owner, and for all of them', async () => {
      await serve({ runsPerOwner: 2, runs: 3 });
      const [ann, bob, cid] = ['ann', 'bob', 'cid'].map((name) => served.peer(binding).as(name)) as [
        Peer,
        Peer,
        Peer,
      ];
      const parked = await ann.send('park');
      await freed();
      const tasks = await Promise.all(Array.from({ length: 5 }, () => begin(ann)));
      expect(tasks.filter(Boolean)).toHaveLength(2);
      for (const extra of [{}, { message: { taskId: parked.id } }]) {
        const refusal = await ann.refused('SendMessage', params('wait', extra));
        expect(refusal).toMatchObject({ reason: 'RESOURCE_EXHAUSTED', httpStatus: 429 });
        expect(refusal.headers.get('retry-after')).toBe('5');
        expect(refusal.message).toContain('2 tasks that run');
      }
      expect((await ann.get(parked.id)).history).toHaveLength(1);
      const bobs = await begin(bob);
      expect(bobs).toBeDefined();
      const full = await cid.refused('SendMessage', params('wait'));
      expect(full).toMatchObject({ reason: 'UNAVAILABLE', httpStatus: 503 });
      // Those that wait for their turn in a task that runs already need no room.
      const running = tasks.find(Boolean)!;
      const waiting = ann.start('park', { message: { taskId: running } });
      await ann.ok('CancelTask', { id: running });
      await waiting;
      for (const id of tasks) if (id && id !== running) await ann.ok('CancelTask', { id });
      await bob.ok('CancelTask', { id: bobs });
      await freed();
      expect(stateOf(await ann.send('quick'))).toBe('COMPLETED');
    });

    /** The id of a task that now runs; undefined when there was no room. */
    async function begin(peer: Peer): Promise<string | undefined> {
      const configuration = { returnImmediately: true };
      const { result, refusal } = await peer.call('SendMessage', params('wait', { configuration }));
      if (refusal) expect(refusal.reason).toBe('RESOURCE_EXHAUSTED');
      return result?.task.id;
    }

    /** A task is answered a moment before its room is free. */
    const freed = () => expect.poll(() => served.app.get(RunSlots, { strict: false }).size).toBe(0);
  });
});
