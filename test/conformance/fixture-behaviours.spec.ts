import { setTimeout as sleep } from 'node:timers/promises';
import { getText, type Message, type StreamResponse, type Task } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { M } from '../support/message.js';
import { sse } from '../support/sse.js';
import { PLATFORMS } from './support/app.js';
import { type Binding, BINDINGS, Peer } from './support/peer.js';
import { artifactTexts, historyTexts, show, short, stateOf } from './support/show.js';

const EXTENSION = 'https://example.com/declared';

interface Behaviour {
  readonly text: string;
  readonly events: readonly string[];
  /** What the blocking answer has; none unless given. */
  readonly artifacts?: readonly string[];
  /** The text of the status message; none unless given. */
  readonly says?: RegExp;
}

const hidden = /^The agent failed to handle the message \(reference [0-9a-f-]{36}\)$/;

const BEHAVIOURS: readonly Behaviour[] = [
  {
    text: 'quick',
    events: ['Task SUBMITTED', 'WORKING', 'a0 Hello, quick .', 'COMPLETED'],
    artifacts: ['Hello, quick'],
  },
  {
    text: 'anything else',
    events: ['Task SUBMITTED', 'WORKING', 'a0 Hello, anything else .', 'COMPLETED'],
    artifacts: ['Hello, anything else'],
  },
  {
    text: 'slow:3',
    events: ['Task SUBMITTED', 'WORKING', 'a0 c0', 'a0 +c1', 'a0 +c2 .', 'COMPLETED'],
    artifacts: ['c0|c1|c2'],
  },
  {
    text: 'chunks:4',
    events: [
      'Task SUBMITTED',
      'WORKING',
      'a0 token-0 ',
      'a0 +token-1 ',
      'a0 +token-2 ',
      'a0 +token-3  .',
      'COMPLETED',
    ],
    artifacts: ['token-0 |token-1 |token-2 |token-3 '],
  },
  { text: 'hold:30', events: ['Task SUBMITTED', 'WORKING', 'COMPLETED'] },
  { text: 'silent:1', events: ['Task SUBMITTED', 'WORKING', 'COMPLETED'] },
  { text: 'park', events: ['Task SUBMITTED', 'INPUT_REQUIRED'] },
  { text: 'reject', events: ['Task SUBMITTED', 'REJECTED'] },
  { text: 'boom', events: ['Task SUBMITTED', 'FAILED'], says: hidden },
  {
    text: 'boom-late',
    events: ['Task SUBMITTED', 'a0 c0', 'a0 +c1', 'FAILED'],
    artifacts: ['c0|c1'],
    says: hidden,
  },
  { text: 'public-error', events: ['Task SUBMITTED', 'FAILED'], says: /^The order number is missing$/ },
  {
    text: 'noterminal',
    events: ['Task SUBMITTED', 'WORKING', 'FAILED'],
    says: /^The agent returned without ending, pausing or detaching the task$/,
  },
  { text: 'ignorecancel:50', events: ['Task SUBMITTED', 'WORKING', 'COMPLETED'] },
  { text: 'fastfinish', events: ['Task SUBMITTED', 'COMPLETED'] },
  { text: 'bare-status', events: ['Task SUBMITTED', 'WORKING', 'COMPLETED'] },
  {
    text: 'bare-task',
    events: ['Task SUBMITTED', 'WORKING', 'a0 Hello, bare-task .', 'Task WORKING', 'COMPLETED'],
    artifacts: ['Hello, bare-task'],
  },
  { text: 'late-emit', events: ['Task SUBMITTED', 'COMPLETED'] },
  { text: 'runs', events: ['Task SUBMITTED', 'a0 1 .', 'COMPLETED'], artifacts: ['1'] },
];

describe.concurrent.each(PLATFORMS)('the table of the scripted agent on %s', (adapter) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({
      PORT: '0',
      ADAPTER: adapter,
      AUTH: 'bearer',
      CANCEL_GRACE_MS: '300',
      KEEP_ALIVE_MS: '200',
      EXTENSIONS: EXTENSION,
    });
  });
  afterAll(() => fixture?.close());

  const ada = (binding: Binding) => new Peer(`${fixture.base}/a2a`, binding).as('ada');

  describe.concurrent.each(BINDINGS)('over %s', (binding) => {
    it.each(BEHAVIOURS)('$text, streamed', async ({ text, events, says }) => {
      const frames = await ada(binding).frames('SendStreamingMessage', M(text));
      expect(show(frames.map(({ data }) => data))).toEqual(events);
      expectGoodStream(
        frames.map(({ data }) => data),
        text,
      );
      expectGrowingIds(frames.map(({ id }) => id));
      const said = frames.at(-1)?.data.statusUpdate?.status.message;
      expectText(said, says);
    });

    it.each(BEHAVIOURS)('$text, blocking', async ({ text, events, artifacts = [], says }) => {
      const peer = ada(binding);
      const task = await peer.send(text);
      expect(`${stateOf(task)}`).toBe(events.at(-1));
      expect(artifactTexts(task)).toEqual(artifacts);
      expect(new Set(task.artifacts?.map(({ artifactId }) => artifactId)).size).toBe(artifacts.length);
      expect(historyTexts(task)).toEqual([`U: ${text}`]);
      expectText(task.status.message, says);
      expect(await peer.get(task.id)).toEqual(task);
    });

    it('message answers with a Message and leaves no task', async () => {
      const peer = ada(binding).as(`reader over ${binding}`);
      const events = await peer.stream('message');
      expect(show(events)).toEqual(['Message Hello']);
      const { message, task } = await peer.ok(
        'SendMessage',
        M('message', { message: { contextId: 'talk' } }),
      );
      expect(task).toBeUndefined();
      expect(message).toMatchObject({ role: 'ROLE_AGENT', contextId: 'talk', messageId: expect.any(String) });
      expect(events[0]?.message?.contextId).toEqual(expect.any(String));
      expect((await peer.ok('ListTasks', {})).totalSize).toBe(0);
    });

    it('slow:N takes 200 ms for each chunk', async () => {
      const frames = await ada(binding).frames('SendStreamingMessage', M('slow:4'));
      const chunks = frames.filter(({ data }) => data.artifactUpdate);
      expect(chunks.at(-1)!.at - chunks[0]!.at).toBeGreaterThan(500);
    });

    it('silent:S streams comments and no invented event', async () => {
      const peer = ada(binding);
      const comments: string[] = [];
      const events: StreamResponse[] = [];
      for await (const frame of sse(await peer.request('SendStreamingMessage', M('silent:1')))) {
        if (frame.data) events.push(peer.payload(frame));
        else comments.push(frame.comment ?? '');
      }
      expect(show(events)).toEqual(['Task SUBMITTED', 'WORKING', 'COMPLETED']);
      expect(comments.length).toBeGreaterThanOrEqual(2);
    });

    it('chunks:N goes through as it is, however many there are', async () => {
      const peer = ada(binding);
      const events = await peer.stream('chunks:500');
      const texts = events.flatMap(({ artifactUpdate }) =>
        artifactUpdate ? [getText(artifactUpdate.artifact)] : [],
      );
      expect(texts).toEqual(Array.from({ length: 500 }, (_, i) => `token-${i} `));
      expectGoodStream(events, 'chunks:500');
      const task = await peer.get(events[0]!.task!.id);
      expect(artifactTexts(task)).toEqual([texts.join('|')]);
    });

    it('bytes:N holds so many bytes and their number', async () => {
      const events = await ada(binding).stream('bytes:3000');
      const [update] = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
      expect(update!.lastChunk).toBe(true);
      const [raw, data] = update!.artifact.parts;
      expect(Buffer.from(raw!.raw!, 'base64')).toEqual(Buffer.alloc(3_000));
      expect(data!.data).toEqual({ n: 3_000 });
      expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it('park, then finish completes without anything else', async () => {
      const peer = ada(binding);
      const task = await peer.send('park');
      const events = await peer.events('SendStreamingMessage', M('finish', { message: { taskId: task.id } }));
      // The opening Task may tell of the end already.
      expect([['Task INPUT_REQUIRED', 'COMPLETED'], ['Task COMPLETED']]).toContainEqual(show(events));
      const finished = await peer.get(task.id);
      expect(stateOf(finished)).toBe('COMPLETED');
      expect(artifactTexts(finished)).toEqual([]);
      expect(historyTexts(finished)).toEqual(['U: park', 'U: finish']);
    });

    it('park, then any other text becomes an artifact and parks again', async () => {
      const peer = ada(binding);
      const task = await peer.send('park');
      const events = await peer.events('SendStreamingMessage', M('slow:3', { message: { taskId: task.id } }));
      expect(stateOf(events[0]!.task!)).toBe('INPUT_REQUIRED');
      expect(historyTexts(events[0]!.task!)).toEqual(['U: park', 'U: slow:3']);
      const opening = artifactTexts(events[0]!.task!);
      const streamed = show(events.slice(1, -1));
      expect([...opening, ...streamed.map((line) => line.replace(/^a0 (.*) \.$/, '$1'))]).toEqual(['slow:3']);
      expect(show(events).at(-1)).toBe('INPUT_REQUIRED');

      const again = await peer.reply(task, 'quick');
      expect(stateOf(again)).toBe('INPUT_REQUIRED');
      expect(artifactTexts(again)).toEqual(['slow:3', 'quick']);
      expect(historyTexts(again)).toEqual(['U: park', 'U: slow:3', 'U: quick']);
    });

    it('park, then whoami and runs answer and park again', async () => {
      const peer = ada(binding);
      const task = await peer.send('park');
      const who = await peer.reply(task, 'whoami');
      expect(JSON.parse(artifactTexts(who)[0]!)).toMatchObject({
        contextId: task.contextId,
        historyLength: 2,
      });
      const runs = await peer.reply(task, 'runs');
      expect(artifactTexts(runs)[1]).toBe('1');
      expect([stateOf(who), stateOf(runs)]).toEqual(['INPUT_REQUIRED', 'INPUT_REQUIRED']);
    });

    it('whoami tells what the executor sees', async () => {
      const peer = ada(binding).with({ 'a2a-extensions': `https://example.com/unknown, ${EXTENSION}` });
      const { task } = await peer.ok('SendMessage', { ...M('whoami'), tenant: 't1' });
      expect(JSON.parse(artifactTexts(task)[0]!)).toEqual({
        user: 'ada',
        tenant: 't1',
        extensions: [EXTENSION],
        contextId: task.contextId,
        historyLength: 1,
      });
      expect(stateOf(task)).toBe('COMPLETED');
    });

    it('auth stays open, takes messages without a run, and completes from outside', async () => {
      const peer = ada(binding);
      const streaming = peer.stream('auth');
      const task = await peer.send('auth');
      expect(stateOf(task)).toBe('AUTH_REQUIRED');
      expectText(task.status.message, /^Please sign in$/);
      const { task: meanwhile } = await peer.ok(
        'SendMessage',
        M('quick', { message: { taskId: task.id }, configuration: { returnImmediately: true } }),
      );
      expect(stateOf(meanwhile)).toBe('AUTH_REQUIRED');
      const following = peer.events('SubscribeToTask', { id: task.id });

      const events = await streaming;
      expect(show(events)).toEqual(['Task SUBMITTED', 'AUTH_REQUIRED', 'WORKING', 'COMPLETED']);
      expectGoodStream(events, 'auth');
      expect(show(await following)).toEqual(['Task AUTH_REQUIRED', 'WORKING', 'COMPLETED']);
      const ended = await peer.get(task.id);
      expect(stateOf(ended)).toBe('COMPLETED');
      expect(artifactTexts(ended)).toEqual([]);
      expect(historyTexts(ended).toSorted()).toEqual(['A: Please sign in', 'U: auth', 'U: quick']);
    });

    it('detach:MS is completed by another provider', async () => {
      const peer = ada(binding);
      const events = await peer.stream('detach:100');
      expect(show(events)).toEqual(['Task SUBMITTED', 'WORKING', 'COMPLETED']);
      const task = await peer.send('detach:100');
      expect(stateOf(task)).toBe('COMPLETED');
      expect(historyTexts(task)).toEqual(['U: detach:100']);
    });

    it('ignorecancel:MS is canceled after the grace period, and what it does later is discarded', async () => {
      const peer = ada(binding).as(`canceller over ${binding}`);
      const streaming = peer.stream('ignorecancel:1000');
      const { tasks } = await eventually(
        () => peer.ok('ListTasks', { pageSize: 100 }),
        ({ tasks }) => tasks.some(isIgnoring),
      );
      const { id } = tasks.find(isIgnoring);
      const canceled = await peer.ok('CancelTask', { id });
      expect(stateOf(canceled)).toBe('CANCELED');
      expect(show(await streaming)).toEqual(['Task SUBMITTED', 'WORKING', 'CANCELED']);
      await sleep(1_000);
      expect(await peer.get(id)).toEqual(canceled);
    });
  });
});

function isIgnoring(task: Task): boolean {
  return historyTexts(task)[0] === 'U: ignorecancel:1000' && stateOf(task) === 'WORKING';
}

/** Reads until it fits; for what no event tells. */
async function eventually<T>(read: () => Promise<T>, fits: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (fits(value)) return value;
    await sleep(20);
  }
}

function expectText(message: Message | undefined, text: RegExp | undefined): void {
  if (!text) return expect(message).toBeUndefined();
  expect(getText(message!)).toMatch(text);
  expect(message).toMatchObject({ role: 'ROLE_AGENT', messageId: expect.any(String) });
}

/** What holds for every stream of a new task. */
function expectGoodStream(events: readonly StreamResponse[], text: string): void {
  const { id: taskId, contextId, history } = events[0]!.task!;
  expect(history).toEqual([
    expect.objectContaining({ taskId, contextId, role: 'ROLE_USER', parts: [{ text }] }),
  ]);
  for (const event of events) {
    expect(Object.keys(event)).toHaveLength(1);
    const ids = event.task
      ? { taskId: event.task.id, contextId: event.task.contextId }
      : (event.statusUpdate ?? event.artifactUpdate);
    expect(ids).toMatchObject({ taskId, contextId });
    const status = event.task?.status ?? event.statusUpdate?.status;
    if (status) expect(status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  const states = events.flatMap(({ statusUpdate }) => statusUpdate?.status.state ?? []).map(short);
  const ends = states.filter((state) => ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].includes(state));
  expect(ends.length).toBeLessThanOrEqual(1);
}

function expectGrowingIds(ids: readonly (string | undefined)[]): void {
  const numbers = ids.map(Number);
  expect(numbers.every(Number.isInteger)).toBe(true);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
}
