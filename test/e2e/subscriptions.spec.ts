import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { M } from '../support/message.js';
import { rest } from '../support/rest.js';
import { rpc } from '../support/rpc.js';
import { PLATFORMS, stop } from './apps.js';
import {
  BINDINGS,
  chunks,
  events,
  getTask,
  read,
  send,
  sendStream,
  short,
  slowChunks,
  startTask,
  subscribe,
  word,
} from './calls.js';

const STREAMS = 200;

describe.concurrent.each(PLATFORMS)('subscriptions on %s', (platform) => {
  let base: string;
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: platform });
    base = fixture.base;
  });
  afterAll(() => stop(fixture));

  it(`A04: ${STREAMS} subscribers at any time miss nothing and hear nothing twice`, async () => {
    const subscribers = Array.from({ length: STREAMS }, async (_, i) => {
      // Spread over 3 s, so that every moment of the task is met; the fraction is random.
      const delay = ((i + Math.random()) * 3_000) / STREAMS;
      const task = await startTask(base, 'slow:20');
      await sleep(delay);
      const story = await read(await subscribe(BINDINGS[i % 2]!, base, task.id));
      return { delay, story };
    });
    for (const { delay, story } of await Promise.all(subscribers)) {
      const after = `subscribed after ${delay} ms`;
      expect(story[0]!.event.task, after).toBeDefined();
      expect(
        story.filter(({ event }) => event.task),
        after,
      ).toHaveLength(1);
      expect(chunks(story), after).toEqual(slowChunks(20));
      expect(word(story.at(-1)!), after).toBe('COMPLETED');
      const ids = story.map(({ id }) => id);
      expect(ids, after).toEqual([...new Set(ids)].sort((a, b) => a - b));
    }
  });

  it('A04: ten subscribers of one task hear the same', async () => {
    const task = await startTask(base, 'slow:10');
    const stories = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => read(await subscribe(BINDINGS[i % 2]!, base, task.id))),
    );
    const texts = Array.from({ length: 10 }, (_, i) => `c${i}`);
    for (const story of stories) expect(chunks(story)).toEqual(texts);
  });

  it.each(BINDINGS)('A07: a parked task can be subscribed to and stays so, over %s', async (binding) => {
    const task = await send(base, 'park');
    const stream = events(await subscribe(binding, base, task.id));
    const opening = await stream.next();
    expect(word(opening.value!)).toBe('Task INPUT_REQUIRED');
    let answered = false;
    const next = stream.next().finally(() => (answered = true));
    await sleep(300);
    expect(answered).toBe(false);
    const finished = await send(base, 'finish', { message: { taskId: task.id } });
    expect(short(finished.status.state)).toBe('COMPLETED');
    expect(word((await next).value!)).toBe('COMPLETED');
    expect((await stream.next()).done).toBe(true);
  });

  it.each(BINDINGS)(
    'A07: a subscriber of a parked task hears the next round up to its pause, over %s',
    async (binding) => {
      const task = await send(base, 'park');
      const story = read(await subscribe(binding, base, task.id));
      await send(base, 'tell me', { message: { taskId: task.id } });
      expect((await story).map(word)).toEqual(['Task INPUT_REQUIRED', 'tell me.', 'INPUT_REQUIRED']);
      // It is parked again, so it can be subscribed to again.
      const again = await subscribe(binding, base, task.id);
      expect((await read(again, 1)).map(word)).toEqual(['Task INPUT_REQUIRED']);
    },
  );

  it('A08: a finished task refuses subscriptions with a plain error, not inside a stream', async () => {
    const { id } = await send(base, 'quick');
    const overRpc = await rpc(base, 'SubscribeToTask', { id });
    expect(overRpc.status).toBe(200);
    expect(overRpc.headers.get('content-type')).toMatch(/^application\/json/);
    expect(overRpc.body.error).toMatchObject({ code: -32004 });
    for (const verb of ['GET', 'POST']) {
      const overRest = await rest(base, verb, `/tasks/${id}:subscribe`);
      expect(overRest.status).toBe(400);
      expect(overRest.headers.get('content-type')).toMatch(/^application\/(a2a\+)?json/);
      expect(overRest.body.error).toMatchObject({
        code: 400,
        details: [{ reason: 'UNSUPPORTED_OPERATION', domain: 'a2a-protocol.org' }],
      });
    }
  });

  it('A08: an unknown task is not found', async () => {
    const overRpc = await rpc(base, 'SubscribeToTask', { id: 'nobody' });
    expect(overRpc.headers.get('content-type')).toMatch(/^application\/json/);
    expect(overRpc.body.error).toMatchObject({ code: -32001 });
    const overRest = await rest(base, 'POST', '/tasks/nobody:subscribe');
    expect(overRest.status).toBe(404);
    expect(overRest.headers.get('content-type')).toMatch(/^application\/(a2a\+)?json/);
    expect(overRest.body.error.details).toMatchObject([{ reason: 'TASK_NOT_FOUND' }]);
  });

  it('A08: a streaming send that is refused opens no stream either', async () => {
    const { id: taskId } = await send(base, 'quick');
    const refused = [
      { extra: { message: { taskId } }, code: -32004, status: 400 },
      { extra: { message: { taskId: 'nobody' } }, code: -32001, status: 404 },
      { extra: { message: { parts: [] } }, code: -32602, status: 400 },
    ];
    for (const { extra, code, status } of refused) {
      const overRpc = await rpc(base, 'SendStreamingMessage', M('hi', extra));
      expect(overRpc.headers.get('content-type')).toMatch(/^application\/json/);
      expect(overRpc.body.error?.code).toBe(code);
      const overRest = await sendStream('REST', base, 'hi', extra);
      expect(overRest.status).toBe(status);
      expect(overRest.headers.get('content-type')).toMatch(/^application\/(a2a\+)?json/);
      expect(((await overRest.json()) as { error: object }).error).toMatchObject({ code: status });
    }
    expect((await getTask(base, taskId)).history).toHaveLength(1);
  });
});
