import { setTimeout as sleep } from 'node:timers/promises';
import {
  AgentExecutor,
  type EventQueue,
  QueueManager,
  type RequestContext,
  Skill,
  type Task,
  TaskStore,
} from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { M } from '../support/message.js';
import { LogBook, OPTIONAL_USERS, PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { type Binding, BINDINGS, Peer } from './support/peer.js';
import { artifactTexts, historyTexts, show, stateOf } from './support/show.js';

/** Writes down what it knows of the conversation, and emits raw events as it is told. */
@Skill({ id: 'talk', name: 'Talk', description: 'Talks', tags: ['test'] })
@AgentExecutor({ name: 'Talker', description: 'Knows its conversation', version: '1' })
class Talker {
  runs = 0;

  async execute(context: RequestContext, queue: EventQueue): Promise<void> {
    this.runs += 1;
    const { userInput, updater } = context;
    const [command, ...words] = userInput.split(' ');
    if (command === 'history') return this.tell(context, Number(words[0] || 10));
    if (command === 'related') return this.relate(context);
    if (command === 'ask') return updater.requiresInput(`What about ${words.join(' ')}?`);
    if (command === 'slowly') {
      await sleep(300);
      await updater.addArtifact(userInput);
      return updater.requiresInput();
    }
    if (command === 'raw') {
      await queue.enqueueEvent({ artifactUpdate: { artifact: piece('x', 'one'), append: true } });
      await queue.enqueueEvent({ artifactUpdate: { artifact: piece('x', 'two'), append: true } });
      await queue.enqueueEvent({
        artifactUpdate: { artifact: piece('y', 'three'), append: true, lastChunk: true },
      });
      return updater.complete();
    }
    await updater.addArtifact(userInput);
    await updater.complete();
  }

  private async tell(context: RequestContext, limit: number): Promise<void> {
    const tasks = await context.contextHistory({ limit });
    const told = tasks.map((task) => [
      ...historyTexts(task),
      ...artifactTexts(task).map((text) => `= ${text}`),
    ]);
    await context.updater.addArtifact(JSON.stringify(told));
    await context.updater.complete();
  }

  private async relate(context: RequestContext): Promise<void> {
    await context.updater.addArtifact(JSON.stringify((await context.relatedTasks()).map(({ id }) => id)));
    await context.updater.complete();
  }
}

function piece(artifactId: string, text: string) {
  return { artifactId, parts: [{ text }] };
}

describe.concurrent.each(PLATFORMS)('follow-ups to the scripted agent on %s', (adapter) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: adapter });
  });
  afterAll(() => fixture?.close());

  describe.concurrent.each(BINDINGS)('over %s', (binding) => {
    const peer = () => new Peer(`${fixture.base}/a2a`, binding);

    it('C08 never overlaps the runs of 10 parallel messages, and answers each', async () => {
      const task = await peer().send('park');
      const answers = await Promise.all(Array.from({ length: 10 }, () => peer().reply(task, 'runs')));
      for (const answer of answers) expect(stateOf(answer)).toBe('INPUT_REQUIRED');
      const end = await peer().get(task.id);
      expect(artifactTexts(end)).toEqual(Array.from({ length: 10 }, () => '1'));
      expect(historyTexts(end)).toEqual(['U: park', ...Array.from({ length: 10 }, () => 'U: runs')]);
      expect(new Set(end.history!.map(({ messageId }) => messageId)).size).toBe(11);
    });

    it('C08 answers each of several waiting messages by its own run', async () => {
      const task = await peer().send('park');
      const texts = ['a', 'b', 'c', 'd', 'e'];
      const answers = await Promise.all(texts.map((text) => peer().reply(task, text)));
      for (const [index, answer] of answers.entries()) expect(artifactTexts(answer)).toContain(texts[index]);
    });

    it('C08 streams to each of several waiting messages up to the end of its own run', async () => {
      const task = await peer().send('park');
      const texts = ['a', 'b', 'c', 'd', 'e'];
      const streams = await Promise.all(
        texts.map((text) => peer().stream(text, { message: { taskId: task.id } })),
      );
      for (const [index, events] of streams.entries()) {
        const opening = artifactTexts(events[0]!.task!);
        const chunks = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts[0]?.text ?? []);
        expect([...opening, ...chunks]).toContain(texts[index]);
      }
    });

    it('C08 refuses messages above the limit as busy, and loses none that it accepted', async () => {
      const task = await peer().send('park');
      const texts = Array.from({ length: 40 }, (_, i) => `m${i}`);
      const outcomes = await Promise.all(
        texts.map((text) => peer().call('SendMessage', M(text, { message: { taskId: task.id } }))),
      );
      const accepted = texts.filter((_, i) => !outcomes[i]!.refusal);
      for (const { refusal } of outcomes) {
        if (refusal) expect(refusal).toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
        if (refusal) expect(refusal.message).toMatch(/busy/);
      }
      expect(accepted.length).toBeGreaterThanOrEqual(16);
      const end = await peer().get(task.id);
      expect(artifactTexts(end).toSorted()).toEqual(accepted.toSorted());
      expect(historyTexts(end).slice(1).toSorted()).toEqual(accepted.map((text) => `U: ${text}`).toSorted());
    });

    it('C09 keeps task and context over several rounds, with or without contextId', async () => {
      const task = await peer().send('park', { message: { contextId: 'mine' } });
      for (const extra of [{}, { contextId: task.contextId }, {}, {}]) {
        const answer = await peer().send('again', { message: { taskId: task.id, ...extra } });
        expect({ id: answer.id, contextId: answer.contextId }).toEqual({ id: task.id, contextId: 'mine' });
        expect(stateOf(answer)).toBe('INPUT_REQUIRED');
      }
      const end = await peer().reply(task, 'finish');
      for (const message of end.history!) {
        expect(message).toMatchObject({ taskId: task.id, contextId: 'mine' });
      }
      expect(historyTexts(end)).toHaveLength(6);
    });

    it('C09 refuses a contextId that is not the one of the task, and changes nothing', async () => {
      const task = await peer().send('park');
      const params = M('finish', { message: { taskId: task.id, contextId: 'another' } });
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        expect(await peer().refused(operation, params)).toMatchObject({
          reason: 'INVALID_PARAMS',
          fields: ['message.contextId'],
        });
      }
      expect(await peer().get(task.id)).toEqual(task);
    });

    it('C12 refuses messages to an ended task, names the way on, and changes nothing', async () => {
      for (const text of ['quick', 'reject', 'boom']) {
        const task = await peer().send(text);
        const params = M('more', { message: { taskId: task.id } });
        for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
          const refusal = await peer().refused(operation, params);
          expect(refusal).toMatchObject({ reason: 'UNSUPPORTED_OPERATION', metadata: { taskId: task.id } });
          expect(refusal.code).toBe(binding === 'JSONRPC' ? -32004 : 400);
          expect(refusal.message).toContain(`start a new task in contextId ${task.contextId}`);
        }
        expect(await peer().get(task.id)).toEqual(task);
      }
    });

    it('C12 never revives a task that completes while a message comes', async () => {
      for (let i = 0; i < 40; i++) {
        const task = await peer().send('park');
        const finish = peer().call('SendMessage', M('finish', { message: { taskId: task.id } }));
        await sleep(2 + Math.random() * 6);
        const late = await peer().call('SendMessage', M('runs', { message: { taskId: task.id } }));
        expect((await finish).refusal).toBeUndefined();
        const end = await peer().get(task.id);
        expect(stateOf(end)).toBe('COMPLETED');
        const history = ['U: park', 'U: finish'];
        // The message came first, and the end after it.
        if (historyTexts(end).at(-1) === 'U: finish' && historyTexts(end).length === 3) continue;
        if (late.refusal) {
          expect(late.refusal.reason).toBe('UNSUPPORTED_OPERATION');
          expect(historyTexts(end)).toEqual(history);
        } else {
          expect(stateOf(late.result.task)).toBe('COMPLETED');
          expect(historyTexts(end)).toEqual([...history, 'U: runs']);
        }
        expect(artifactTexts(end)).toEqual([]);
      }
    });

    it(
      'C23 answers returnImmediately at once, with a task that can be read, while 50 agents are busy',
      { retry: 2 },
      async () => {
        const busy = await Promise.all(Array.from({ length: 50 }, () => peer().start('slow:30')));
        const times: number[] = [];
        for (let i = 0; i < 100; i++) {
          const began = performance.now();
          const { id } = await peer().start(i % 2 ? 'slow:2' : 'silent:1');
          times.push(performance.now() - began);
          expect((await peer().get(id)).id).toBe(id);
        }
        await Promise.all(busy.map(({ id }) => peer().call('CancelTask', { id })));
        expect(times.toSorted((a, b) => a - b)[98]).toBeLessThan(100);
      },
    );

    it('C23 waits for the end without returnImmediately, and has all artifacts then', async () => {
      for (const configuration of [undefined, {}, { returnImmediately: false }]) {
        const task = await peer().send('slow:3', configuration && { configuration });
        expect(stateOf(task)).toBe('COMPLETED');
        expect(artifactTexts(task)).toEqual(['c0|c1|c2']);
      }
    });
  });

  it('C23 lets the blocking of version 0.3 pass without effect', async () => {
    const peer = new Peer(`${fixture.base}/a2a`, 'JSONRPC');
    const params = { ...M('slow:2'), configuration: { blocking: false } };
    expect(stateOf((await peer.ok('SendMessage', params)).task)).toBe('COMPLETED');
  });
});

describe.concurrent.each(PLATFORMS)('conversations on %s', (platform) => {
  let served: ServedApp;
  let agent: Talker;
  const log = new LogBook();

  beforeAll(async () => {
    served = await serveApp(platform, { agents: [Talker], providers: [OPTIONAL_USERS], logger: log });
    agent = served.app.get(Talker);
  });
  afterAll(() => served?.close());

  it.each(BINDINGS)('C11 refuses an unknown taskId over %s, and creates nothing', async (binding) => {
    const lonely = await serveApp(platform, { agents: [Talker] });
    try {
      const peer = lonely.peer(binding);
      const store = lonely.app.get<TaskStore, MemoryTaskStore>(TaskStore);
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        const refusal = await peer.refused(operation, M('hi', { message: { taskId: crypto.randomUUID() } }));
        expect(refusal.reason).toBe('TASK_NOT_FOUND');
        expect(refusal).toMatchObject(
          binding === 'JSONRPC'
            ? { httpStatus: 200, code: -32001 }
            : { httpStatus: 404, status: 'NOT_FOUND' },
        );
      }
      expect({ tasks: store.size, runs: lonely.app.get(Talker).runs }).toEqual({ tasks: 0, runs: 0 });
      expect(lonely.app.get<unknown, MemoryQueueManager>(QueueManager).size).toBe(0);
    } finally {
      await lonely.close();
    }
  });

  describe.each(BINDINGS)('over %s', (binding: Binding) => {
    const peer = () => served.peer(binding).as(`talker over ${binding}`);

    it('C14 begins an artifact where a raw event appends to none', async () => {
      const events = await peer().stream('raw');
      expect(show(events).slice(1)).toEqual(['a0 one', 'a0 +two', 'a1 three .', 'COMPLETED']);
      const task = await peer().get(events[0]!.task!.id);
      expect(task.artifacts).toEqual([
        { artifactId: 'x', parts: [{ text: 'one' }, { text: 'two' }] },
        { artifactId: 'y', parts: [{ text: 'three' }] },
      ]);
    });

    it('C10 keeps questions and answers in their order, each once', async () => {
      let task: Task = await peer().send('ask colour');
      task = await peer().reply(task, 'ask size');
      expect(historyTexts(task)).toEqual(['U: ask colour', 'A: What about colour?', 'U: ask size']);
      expect(historyTexts({ ...task, history: [task.status.message!] })).toEqual(['A: What about size?']);
      task = await peer().reply(task, 'done');
      expect(historyTexts(task)).toEqual([
        'U: ask colour',
        'A: What about colour?',
        'U: ask size',
        'A: What about size?',
        'U: done',
      ]);
      expect(task.status.message).toBeUndefined();
      expect(new Set(task.history!.map(({ messageId }) => messageId)).size).toBe(5);
    });

    it('C24 tells the earlier tasks of the context once each, bounded, and of one owner only', async () => {
      const message = { contextId: `talk over ${binding}` };
      const first = await peer().send('one', { message });
      await peer().send('two', { message });
      await peer().send('elsewhere', { message: { contextId: 'another' } });
      const eve = peer().as('eve');
      await eve.send('secret', { message });
      const tell = async (text: string, other = peer()) =>
        JSON.parse(artifactTexts(await other.send(text, { message }))[0]!);

      const third = await tell('history');
      expect(third).toEqual([
        ['U: one', '= one'],
        ['U: two', '= two'],
      ]);
      expect(await tell('history 2')).toEqual([
        ['U: two', '= two'],
        ['U: history', expect.any(String)],
      ]);
      expect(await tell('history', eve)).toEqual([['U: secret', '= secret']]);
      expect(first.contextId).toBe(message.contextId);
    });

    it('C24 gives the tasks that a message refers to, and none of somebody else', async () => {
      const mine = await peer().send('one');
      const theirs = await peer().as('eve').send('two');
      const referenceTaskIds = [mine.id, theirs.id, 'unknown'];
      const task = await peer().send('related', { message: { referenceTaskIds } });
      expect(artifactTexts(task)).toEqual([JSON.stringify([mine.id])]);
    });
  });

  it('C08 answers a message that waits for a slow run with the task after its own', async () => {
    const peer = served.peer('JSONRPC');
    const task = await peer.send('ask something');
    const [slow, quick] = await Promise.all([
      peer.reply(task, 'slowly one'),
      sleep(100).then(() => peer.reply(task, 'slowly two')),
    ]);
    expect(artifactTexts(slow)).toContain('slowly one');
    expect(artifactTexts(quick)).toEqual(['slowly one', 'slowly two']);
    expect(stateOf(quick)).toBe('INPUT_REQUIRED');
    expect(agent.runs).toBeGreaterThan(2);
  });
});
