import { setTimeout as sleep } from 'node:timers/promises';
import {
  AgentExecutor,
  type EventQueue,
  LeaseLostError,
  QueueManager,
  type RequestContext,
  Skill,
  TaskEndedError,
  TaskHandle,
  type Task,
  TaskStore,
} from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { M } from '../support/message.js';
import { sse } from '../support/sse.js';
import { PLATFORMS, type Platform, serveApp, type ServedApp } from './support/app.js';
import { type Binding, BINDINGS, Peer } from './support/peer.js';
import { artifactTexts, historyTexts, show, stateOf } from './support/show.js';

const GRACE_MS = 300;

/** Tells what becomes of it by the text of the message. */
@Skill({ id: 'obey', name: 'Obey', description: 'Does what it is told', tags: ['test'] })
@AgentExecutor({ name: 'Canceled', description: 'Is canceled in many ways', version: '1' })
class CanceledAgent {
  /** When the signal of a task was aborted, in ms of performance.now(). */
  readonly aborted = new Map<string, number>();
  readonly runs = new Map<string, number>();

  async execute(context: RequestContext, queue: EventQueue): Promise<void> {
    const { updater, signal, taskId, userInput } = context;
    this.runs.set(taskId, (this.runs.get(taskId) ?? 0) + 1);
    signal.addEventListener('abort', () => this.aborted.set(taskId, performance.now()));
    if (userInput === 'unborn') return void (await sleep(60_000, undefined, { signal }));
    if (userInput === 'park') return updater.requiresInput();
    await updater.startWork();
    if (userInput === 'detach') return updater.detach();
    if (userInput === 'says so') {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return updater.cancel('Stopped in time');
    }
    if (userInput === 'deaf') {
      await sleep(1_500);
      await queue.enqueueEvent({
        taskId,
        contextId: context.contextId,
        status: { state: 'TASK_STATE_WORKING' },
      });
      return updater.complete();
    }
    for (let i = 0; i < 500; i++) {
      await updater.addArtifact(`piece ${i}`);
      await sleep(20, undefined, { signal });
    }
  }

  async cancel(context: RequestContext): Promise<void> {
    if (context.userInput === 'cancel throws') throw new Error('I cannot be canceled: hunter2');
    if (context.userInput === 'cancel hangs') await new Promise(() => {});
  }
}

class SlowStore extends MemoryTaskStore {
  override async get(...args: Parameters<MemoryTaskStore['get']>) {
    await sleep(20);
    return super.get(...args);
  }

  override async save(...args: Parameters<MemoryTaskStore['save']>) {
    await sleep(20);
    return super.save(...args);
  }
}

function serve(platform: Platform, store: new () => TaskStore = MemoryTaskStore): Promise<ServedApp> {
  return serveApp(platform, {
    agents: [CanceledAgent],
    options: { taskStore: store, execution: { cancelGraceMs: GRACE_MS } },
  });
}

describe.concurrent.each(PLATFORMS)('canceling on %s', (platform) => {
  let served: ServedApp;
  let agent: CanceledAgent;

  beforeAll(async () => {
    served = await serve(platform);
    agent = served.app.get(CanceledAgent);
  });
  afterAll(() => served?.close());

  describe.concurrent.each(BINDINGS)('over %s', (binding) => {
    const peer = () => served.peer(binding);

    it.each([
      ['a run that ends by the signal', 'work'],
      ['a run that is deaf', 'deaf'],
      ['a run that cancels the task itself', 'says so'],
      ['a run whose cancel() throws', 'cancel throws'],
      ['a run whose cancel() hangs', 'cancel hangs'],
      ['a run that has not begun its task', 'unborn'],
      ['a parked task', 'park'],
      ['a detached task', 'detach'],
    ])('C03 ends %s as CANCELED within the grace period', async (_, text) => {
      const task = await peer().start(text);
      const began = performance.now();
      const canceled: Task = await peer().ok('CancelTask', { id: task.id });
      expect(performance.now() - began).toBeLessThan(GRACE_MS + 1_500);
      expect(stateOf(canceled)).toBe('CANCELED');
      expect(canceled.id).toBe(task.id);
      expect(JSON.stringify(canceled)).not.toContain('hunter2');
      await sleep(text === 'deaf' ? 1_700 : 50);
      expect(await peer().get(task.id)).toEqual(canceled);
    });

    it('C03 cancels a task as soon as it is submitted', async () => {
      for (const text of ['work', 'unborn', 'park', 'deaf']) {
        const task = await peer().start(text);
        expect(stateOf(await peer().ok('CancelTask', { id: task.id }))).toBe('CANCELED');
      }
    });

    it('C03 cancels a task for which messages wait, and runs none of them', async () => {
      const task = await peer().start('deaf');
      await Promise.all([1, 2, 3].map((i) => peer().start(`waits ${i}`, { message: { taskId: task.id } })));
      const canceled = await peer().ok('CancelTask', { id: task.id });
      expect(stateOf(canceled)).toBe('CANCELED');
      expect(historyTexts(canceled).toSorted()).toEqual([
        'U: deaf',
        'U: waits 1',
        'U: waits 2',
        'U: waits 3',
      ]);
      expect(agent.runs.get(task.id)).toBe(1);
    });

    it('C05 aborts the signal within a second, tells open streams and closes them, and repeats its answer', async () => {
      const response = await peer().request('SendStreamingMessage', M('work'));
      const frames = sse(response);
      const first = await frames.next();
      const { id } = peer().payload(first.value!).task!;
      const following = peer().events('SubscribeToTask', { id });
      const began = performance.now();
      const canceled = await peer().ok('CancelTask', { id });
      expect(agent.aborted.get(id)! - began).toBeLessThan(1_000);
      const rest = [];
      for await (const frame of frames) if (frame.data) rest.push(peer().payload(frame));
      expect(show(rest).at(-1)).toBe('CANCELED');
      expect(show(await following).at(-1)).toMatch(/^(Task )?CANCELED$/);
      for (let i = 0; i < 3; i++) expect(await peer().ok('CancelTask', { id })).toEqual(canceled);
      expect(
        await peer()
          .over(BINDINGS.find((other) => other !== binding)!)
          .ok('CancelTask', { id }),
      ).toEqual(canceled);
    });

    it('C05 answers cancels in parallel with one Task', async () => {
      const { id } = await peer().start('work');
      const answers = await Promise.all(Array.from({ length: 8 }, () => peer().ok('CancelTask', { id })));
      expect(new Set(answers.map((task) => JSON.stringify(task))).size).toBe(1);
      const history = await peer().get(id);
      expect(history).toEqual(answers[0]);
    });

    it('refuses what is unknown, and what has ended otherwise', async () => {
      const unknown = await peer().refused('CancelTask', { id: 'unknown' });
      expect(unknown.reason).toBe('TASK_NOT_FOUND');
      const task = await peer().start('detach');
      await served.app.get(TaskHandle).for(task.id).complete();
      const refusal = await peer().refused('CancelTask', { id: task.id });
      expect(refusal).toMatchObject({ reason: 'TASK_NOT_CANCELABLE', metadata: { taskId: task.id } });
      expect(refusal.httpStatus).toBe(binding === 'JSONRPC' ? 200 : 409);
      expect(stateOf(await peer().get(task.id))).toBe('COMPLETED');
    });
  });
});

describe.each(PLATFORMS)('racing for the end of a task on %s', (platform) => {
  let served: ServedApp;

  beforeAll(async () => {
    served = await serve(platform);
  });
  afterAll(() => served?.close());

  it('C03 cancels a task whose holder does not answer, by taking it over', async () => {
    const peer = served.peer('JSONRPC');
    const task = await peer.start('park');
    const queue = served.app.get(QueueManager);
    const stranger = { holder: 'a process that hangs', ttlMs: 60_000 };
    const lease = await queue.acquire(task.id, stranger);
    expect(lease).toBeDefined();
    const canceled = await peer.ok('CancelTask', { id: task.id });
    expect(stateOf(canceled)).toBe('CANCELED');
    const late = { task: { ...task, status: { state: 'TASK_STATE_WORKING' as const } } };
    await expect(queue.append(lease!, [late])).rejects.toThrow(LeaseLostError);
    expect(await peer.get(task.id)).toEqual(canceled);
  });

  it('C01 loses nothing that was accepted before a cancel, and undoes no cancel', async () => {
    const slow = await serve(platform, SlowStore);
    try {
      const peer = slow.peer('JSONRPC');
      const handle = slow.app.get(TaskHandle);
      const { id } = await peer.start('detach');
      const accepted = { artifacts: [] as string[], messages: [] as string[] };
      const refused: unknown[] = [];
      const note = (list: string[], text: string) => ({
        ok: () => void list.push(text),
        no: (error: unknown) => void refused.push(error),
      });
      const appends = Array.from({ length: 50 }, (_, i) => {
        const artifact = note(accepted.artifacts, `artifact ${i}`);
        const message = note(accepted.messages, `message ${i}`);
        const updater = handle.for(id);
        return [
          updater.addArtifact(`artifact ${i}`).then(artifact.ok, artifact.no),
          peer.start(`message ${i}`, { message: { taskId: id } }).then(message.ok, message.no),
        ];
      }).flat();
      await Promise.race(appends);
      const canceling = sleep(150).then(() => peer.ok('CancelTask', { id }));
      await Promise.all([...appends, canceling]);

      const task = await peer.get(id);
      expect(stateOf(task)).toBe('CANCELED');
      expect(stateOf(await canceling)).toBe('CANCELED');
      expect(artifactTexts(task).toSorted()).toEqual(accepted.artifacts.toSorted());
      expect(historyTexts(task).toSorted()).toEqual(
        ['U: detach', ...accepted.messages.map((text) => `U: ${text}`)].toSorted(),
      );
      expect(accepted.artifacts.length + accepted.messages.length + refused.length).toBe(100);
      expect(accepted.artifacts.length).toBeGreaterThan(0);
      for (const error of refused)
        expect(String(error)).toMatch(/UNSUPPORTED_OPERATION|takes no more events/);
      await sleep(100);
      expect(await peer.get(id)).toEqual(task);
    } finally {
      await slow.close();
    }
  });

  // One kind on each platform: what decides the race does not know of platforms.
  const kind: [string, string, Binding] =
    platform === 'fastify' ? ['detached', 'detach', 'JSONRPC'] : ['running', 'work', 'HTTP+JSON'];

  it.each([kind])(
    'C02 has one end of a %s task, however many race for it',
    async (_, text, binding) => {
      const peer = served.peer(binding);
      const handle = served.app.get(TaskHandle);
      const ends = { COMPLETED: 0, FAILED: 0, CANCELED: 0 };
      const race = async (peer: Peer) => {
        const response = await peer.request('SendStreamingMessage', M(text));
        const frames = sse(response);
        const events = [peer.payload((await frames.next()).value!)];
        const { id } = events[0]!.task!;
        // Which comes first is a matter of luck; that one of them does is not.
        const soon = () => sleep(Math.random() * 30);
        const racers = [
          () => soon().then(() => handle.for(id).complete()),
          () => soon().then(() => handle.for(id).failed()),
          () => peer.call('CancelTask', { id }),
        ].toSorted(() => Math.random() - 0.5);
        const results = await Promise.allSettled(racers.map((racer) => racer()));
        for await (const frame of frames) if (frame.data) events.push(peer.payload(frame));
        const shown = show(events).filter((line) => line in ends) as (keyof typeof ends)[];
        expect(shown).toHaveLength(1);
        expect(stateOf(await peer.get(id))).toBe(shown[0]);
        for (const result of results) {
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(TaskEndedError);
          else if (result.value?.refusal) expect(result.value.refusal.reason).toBe('TASK_NOT_CANCELABLE');
          else if (result.value) expect(stateOf(result.value.result)).toBe('CANCELED');
        }
        const won = results.filter((result) => result.status === 'fulfilled' && !result.value?.refusal);
        expect(won).toHaveLength(1);
        ends[shown[0]!] += 1;
      };
      for (let done = 0; done < 250; done += 5)
        await Promise.all(Array.from({ length: 5 }, () => race(peer)));
      expect(ends.COMPLETED + ends.FAILED + ends.CANCELED).toBe(250);
      expect(ends.CANCELED).toBeGreaterThan(0);
    },
    40_000,
  );
});
