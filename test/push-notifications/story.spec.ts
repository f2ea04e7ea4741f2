import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LogTaskReader } from '../../lib/events/log-task-reader.js';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import type { PushOptions } from '../../lib/interfaces/push-options.js';
import type { Lease, LogEvent, MessageCommand } from '../../lib/interfaces/queue-manager.js';
import type { TraceContext } from '../../lib/interfaces/server-call-context.js';
import type { Artifact, Task } from '../../lib/protocol/model.js';
import { Story, type Chapter, type Notification } from '../../lib/push-notifications/story.js';
import { callOf, messageCommand } from '../contracts/samples.js';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';

const SCOPE = { agent: 'a', tenant: '', owner: '' };
const commandOf = (trace?: TraceContext): MessageCommand =>
  messageCommand('m', callOf({ agent: 'a', ...(trace && { trace }) }));
const COMMAND = commandOf();
const TASK: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } };
const ids = { taskId: 't', contextId: 'c' };
const status = (state: Task['status']['state']): LogEvent => ({
  statusUpdate: { ...ids, status: { state } },
});

function chunk(text: string, more: Partial<Artifact> & { append?: boolean; lastChunk?: boolean } = {}) {
  const { append, lastChunk, artifactId = 'x', ...artifact } = more;
  return {
    artifactUpdate: {
      ...ids,
      artifact: { artifactId, parts: [{ text }], ...artifact },
      ...(append && { append }),
      ...(lastChunk && { lastChunk }),
    },
  };
}

describe('the story of a task', () => {
  let queue: MemoryQueueManager;
  let store: MemoryTaskStore;
  let lease: Lease;
  let ofTask: string;

  beforeEach(async () => {
    ofTask = 't';
    queue = new MemoryQueueManager();
    store = new MemoryTaskStore();
    const request = { holder: 'h', ttlMs: 10_000 };
    const origin = { ...SCOPE, contextId: 'c' };
    lease = (await queue.create('t', origin, COMMAND, request))!;
  });

  const log = (...events: LogEvent[]) => queue.append(lease, events);
  const end = (...events: LogEvent[]) => queue.append(lease, events, { close: true });
  const storyOf = (mode: PushOptions['artifactUpdates'] = 'coalesce') =>
    new Story(ofTask, queue, new LogTaskReader(store, queue), mode);

  /** All that is told after a number, as a webhook gets it. */
  async function tell(mode: PushOptions['artifactUpdates'], after?: number): Promise<Chapter[]> {
    const story = storyOf(mode);
    const chapters: Chapter[] = [];
    for (let cursor = after; ;) {
      const chapter = await story.next(cursor === undefined ? {} : { cursor });
      if (chapter.kind !== 'notification') return [...chapters, chapter];
      chapters.push(chapter);
      if (chapter.last) return chapters;
      cursor = chapter.sequence;
    }
  }

  const texts = (chapters: readonly Chapter[]) =>
    chapters.map((chapter) => {
      if (chapter.kind !== 'notification') return chapter.kind;
      const { event, sequence } = chapter;
      const update = event.artifactUpdate;
      if (!update) return `${sequence} ${(event.statusUpdate ?? event.task)!.status.state.slice(11)}`;
      const text = update.artifact.parts.map((part) => part.text).join('|');
      return `${sequence} ${update.append ? '+' : ''}${text}${update.lastChunk ? '.' : ''}`;
    });

  it('tells the Task again as it was, when the first attempt may have arrived', async () => {
    await log({ task: TASK }, status('TASK_STATE_WORKING'));
    const first = (await storyOf().next({})) as Notification;
    await end(chunk('all', { lastChunk: true }), status('TASK_STATE_COMPLETED'));
    const again = await storyOf().next({ pending: first.sequence });
    expect(again).toEqual(first);
    expect(again).toMatchObject({
      sequence: 3,
      event: { task: { status: { state: 'TASK_STATE_WORKING' } } },
    });
    expect(await storyOf().next({ cursor: 3 })).toMatchObject({ sequence: 4, snapshot: false });
  });

  it('tells the Task as it is when the log does not tell how it was', async () => {
    await end({ task: TASK }, status('TASK_STATE_COMPLETED'));
    const task: Task = { ...TASK, status: { state: 'TASK_STATE_COMPLETED' } };
    await store.save({ ...SCOPE, task, sequence: 3, fence: 1 });
    await queue.remove('t');
    expect(await storyOf().next({ pending: 2 })).toMatchObject({
      sequence: 3,
      snapshot: true,
      event: { task },
    });
  });

  it('tells each event of the log, and nothing of commands', async () => {
    await log({ task: TASK }, status('TASK_STATE_WORKING'));
    expect(texts(await tell('coalesce', 0))).toEqual(['2 SUBMITTED', '3 WORKING', 'waiting']);
    await queue.appendCommand('t', COMMAND);
    await end(status('TASK_STATE_COMPLETED'));
    expect(texts(await tell('coalesce', 3))).toEqual(['5 COMPLETED']);
  });

  it('begins with the Task as it is, and goes on after it', async () => {
    await log({ task: TASK }, status('TASK_STATE_WORKING'));
    const [first, next] = await tell('coalesce');
    expect(first).toMatchObject({ sequence: 3, snapshot: true, event: { task: { id: 't' } } });
    expect(next).toEqual({ kind: 'waiting' });
  });

  it('puts chunks together that follow each other, in order, and nothing else', async () => {
    await log(
      { task: TASK },
      chunk('a', { name: 'one' }),
      chunk('b', { append: true }),
      chunk('other', { artifactId: 'y' }),
      chunk('c', { append: true }),
    );
    await queue.appendCommand('t', COMMAND);
    await log(chunk('d', { append: true, lastChunk: true }), chunk('again', { lastChunk: true }));
    await end(status('TASK_STATE_COMPLETED'));
    expect(texts(await tell('coalesce', 2))).toEqual([
      '4 a|b',
      '5 other',
      '8 +c|d.',
      '9 again.',
      '10 COMPLETED',
    ]);
  });

  it('puts no more together than it has bytes for, but as many as were settled on before', async () => {
    const large = 'x'.repeat(100_000);
    await log(chunk(large), ...[1, 2, 3, 4].map(() => chunk(large, { append: true })));
    const free = await storyOf().next({ cursor: 0 });
    expect(free).toMatchObject({ sequence: 3, more: true });
    expect(await storyOf().next({ cursor: 0, pending: 5 })).toMatchObject({ sequence: 5 });
    expect(await storyOf().next({ cursor: 0, pending: 2 })).toMatchObject({ sequence: 2 });
  });

  it('does not change what the log holds', async () => {
    await log(chunk('a'), chunk('b', { append: true }));
    await storyOf().next({ cursor: 0 });
    const [, first] = await queue.read('t', 0);
    expect(first!.event).toEqual(chunk('a'));
  });

  it('reads runs that are longer than a page', async () => {
    await log(chunk('0'), ...Array.from({ length: 200 }, (_, i) => chunk(String(i + 1), { append: true })));
    const next = await storyOf().next({ cursor: 0 });
    expect(next).toMatchObject({ sequence: 202, more: false });
  });

  it('all: one by one', async () => {
    await log(chunk('a'), chunk('b', { append: true, lastChunk: true }));
    expect(texts(await tell('all', 0))).toEqual(['2 a', '3 +b.', 'waiting']);
  });

  it('final: artifacts as they are when they are complete', async () => {
    await log({ task: TASK }, chunk('a'), chunk('b', { append: true }));
    expect(texts(await tell('final', 0))).toEqual(['2 SUBMITTED', 'waiting']);
    await log(
      chunk('c', { append: true, lastChunk: true }),
      chunk('y', { artifactId: 'y', lastChunk: true }),
    );
    await end(status('TASK_STATE_COMPLETED'));
    expect(texts(await tell('final', 2))).toEqual(['5 a|b|c.', '6 y.', '7 COMPLETED']);
  });

  it('final: a task that ends with artifacts that do not is told whole', async () => {
    await log({ task: TASK }, chunk('a'));
    await end(status('TASK_STATE_FAILED'));
    const [last] = await tell('final', 2);
    expect(last).toMatchObject({ sequence: 4, last: true, event: { task: { artifacts: [{}] } } });
  });

  it('ends without a task', async () => {
    await end({ message: { messageId: 'n', role: 'ROLE_AGENT', parts: [] } });
    expect(await tell('coalesce', 0)).toEqual([{ kind: 'untold' }]);
  });

  it('is missing without log and task, and told when nothing is left', async () => {
    await queue.remove('t');
    expect(await tell('coalesce', 0)).toEqual([{ kind: 'missing' }]);
    expect(await tell('coalesce')).toEqual([{ kind: 'missing' }]);
    await save('TASK_STATE_COMPLETED', 4);
    expect(await tell('coalesce', 4)).toEqual([{ kind: 'told' }]);
  });

  it('goes on with the Task where the log is gone', async () => {
    await queue.remove('t');
    await save('TASK_STATE_COMPLETED', 7);
    expect(texts(await tell('coalesce', 3))).toEqual(['7 COMPLETED']);
  });

  it('tells the end of a task whose log was lost after more was told than was saved', async () => {
    await queue.remove('t');
    await save('TASK_STATE_FAILED', 4);
    expect(await tell('coalesce', 9)).toEqual([expect.objectContaining({ sequence: 4, snapshot: true })]);
  });

  it('goes on with the Task where the log begins anew', async () => {
    await queue.remove('t');
    await save('TASK_STATE_INPUT_REQUIRED', 6);
    lease = (await queue.restore('t', { ...SCOPE, contextId: 'c' }, { sequence: 6, token: 1 }, lease_()))!;
    await log(status('TASK_STATE_WORKING'));
    expect(texts(await tell('coalesce', 3))).toEqual(['7 WORKING', 'waiting']);
  });

  describe('has the trace context', () => {
    const traceOf = (digit: string): TraceContext => ({
      traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01`,
      tracestate: `vendor=${digit}`,
    });
    /** That of every notification after a number. */
    async function traces(after?: number) {
      const story = storyOf();
      return Promise.all(
        (await tell('coalesce', after)).map(
          (chapter) => chapter.kind === 'notification' && story.traceOf(chapter),
        ),
      );
    }

    beforeEach(async () => {
      const origin = { ...SCOPE, contextId: 'c' };
      lease = (await queue.create('traced', origin, commandOf(traceOf('1')), lease_()))!;
      ofTask = 'traced';
    });

    it('of the message whose run logged it, and none where that had none', async () => {
      await log({ task: TASK });
      await queue.take(lease, 1);
      await log(status('TASK_STATE_WORKING'));
      await queue.appendCommand('traced', commandOf(traceOf('4')));
      await queue.appendCommand('traced', commandOf());
      await log(chunk('late'));
      await queue.take(lease, 4);
      await log(chunk('b', { artifactId: 'y' }));
      await queue.take(lease, 5);
      await end(status('TASK_STATE_COMPLETED'));
      const [first, second] = [traceOf('1'), traceOf('4')];
      expect(await traces(0)).toEqual([first, first, first, second, undefined]);
      expect(await traces(5)).toEqual([first, second, undefined]);
    });

    it('of the last message for the Task as it is', async () => {
      await queue.take(lease, 1);
      await log({ task: TASK });
      await queue.appendCommand('traced', commandOf(traceOf('3')));
      await queue.take(lease, 3);
      expect(await traces()).toEqual([traceOf('3'), false]);
    });

    it('of no message where the log is gone, or begins anew', async () => {
      await queue.remove('traced');
      await store.save({
        ...SCOPE,
        fence: 1,
        sequence: 6,
        task: { ...TASK, id: 'traced', status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
      });
      expect(await traces(3)).toEqual([undefined, false]);
      const floor = { sequence: 6, token: 1 };
      lease = (await queue.restore('traced', { ...SCOPE, contextId: 'c' }, floor, lease_()))!;
      await log(status('TASK_STATE_WORKING'));
      expect(await traces(6)).toEqual([undefined, false]);
    });

    it('without a look at the log for what was read anyway', async () => {
      await queue.take(lease, 1);
      await log(status('TASK_STATE_WORKING'));
      const story = storyOf();
      const chapter = await story.next({ cursor: 0 });
      const read = vi.spyOn(queue, 'read');
      expect(await story.traceOf(chapter as Notification)).toEqual(traceOf('1'));
      expect(read).not.toHaveBeenCalled();
    });
  });

  const lease_ = () => ({ holder: 'h', ttlMs: 10_000 });
  const save = (state: Task['status']['state'], sequence: number) =>
    store.save({ ...SCOPE, fence: 1, sequence, task: { ...TASK, status: { state } } });
});
