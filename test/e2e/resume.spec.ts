import { setTimeout as sleep } from 'node:timers/promises';
import { Retention } from '../../lib/execution/retention.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { rest } from '../support/rest.js';
import { rpc } from '../support/rpc.js';
import { PLATFORMS, stop } from './apps.js';
import {
  BINDINGS,
  chunks,
  events,
  read,
  send,
  sendStream,
  slowChunks,
  type StreamedEvent,
  startTask,
  subscribe,
  taskIdOf,
  word,
} from './calls.js';

/** Longer than the log of a finished task is kept by default. */
const LOG_IS_GONE_MS = 601_000;

describe.concurrent.each(PLATFORMS)('A06: resuming a stream on %s', (platform) => {
  let base: string;
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: platform });
    base = fixture.base;
  });
  afterAll(() => stop(fixture));

  const plain = (story: readonly StreamedEvent[]) => story.map(({ id, event }) => ({ id, event }));

  it('every event carries a number that grows', async () => {
    const ids = (await read(await sendStream('JSON-RPC', base, 'chunks:50'))).map(({ id }) => id);
    expect(ids).toHaveLength(53);
    expect(ids.every((id, i) => Number.isInteger(id) && id > (ids[i - 1] ?? 0))).toBe(true);
  });

  it.each(BINDINGS)(
    'goes on exactly after the number, wherever the stream broke, over %s',
    async (binding) => {
      const whole = plain(await read(await sendStream(binding, base, 'slow:10')));
      expect(whole).toHaveLength(13);
      const broken = Array.from({ length: 12 }, async (_, i) => {
        const before = await read(await sendStream(binding, base, 'slow:10'), i + 1);
        // Some events are missed, some are still to come.
        await sleep(500);
        const after = await read(await subscribe(binding, base, taskIdOf(before), before.at(-1)!.id));
        return { before, after };
      });
      for (const { before, after } of await Promise.all(broken)) {
        const story = [...before, ...after];
        expect(story.map(word)).toEqual(whole.map(word));
        expect(story.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
        expect(chunks(story)).toEqual(slowChunks(10));
      }
    },
  );

  it('goes on as often as it breaks', async () => {
    let story = await read(await sendStream('REST', base, 'slow:8'), 2);
    const id = taskIdOf(story);
    while (word(story.at(-1)!) !== 'COMPLETED') {
      story = [...story, ...(await read(await subscribe('REST', base, id, story.at(-1)!.id), 2))];
    }
    expect(chunks(story)).toEqual(slowChunks(8));
    const everything = await read(await subscribe('REST', base, id, 0));
    expect(plain(everything)).toEqual(plain(story));
  });

  it('goes on after the number of an opening Task', async () => {
    const { id } = await startTask(base, 'slow:6');
    await sleep(500);
    const opening = await read(await subscribe('JSON-RPC', base, id), 1);
    await sleep(500);
    const rest = await read(await subscribe('JSON-RPC', base, id, opening[0]!.id));
    expect(rest.every(({ event }) => !event.task)).toBe(true);
    expect(chunks([...opening, ...rest])).toEqual(slowChunks(6));
  });

  it('replays what is missing of a finished task, and refuses when nothing is', async () => {
    const whole = plain(await read(await sendStream('JSON-RPC', base, 'slow:2')));
    const id = whole[0]!.event.task!.id;
    for (let n = 1; n < whole.length; n++) {
      const replay = await read(await subscribe('JSON-RPC', base, id, whole[n - 1]!.id));
      expect(plain(replay)).toEqual(whole.slice(n));
    }
    const last = { 'last-event-id': String(whole.at(-1)!.id) };
    expect((await rpc(base, 'SubscribeToTask', { id }, last)).body.error?.code).toBe(-32004);
    expect((await rest(base, 'GET', `/tasks/${id}:subscribe`, undefined, last)).status).toBe(400);
    const beyond = { 'last-event-id': '999999' };
    expect((await rpc(base, 'SubscribeToTask', { id }, beyond)).body.error?.code).toBe(-32004);
  });

  it('opens with the Task when the log is gone or the number is none of its', async () => {
    // An application of its own, as it forgets what others want to resume.
    const forgetful = await startFixture({ PORT: '0', ADAPTER: platform });
    const { app, base } = forgetful;
    const whole = await read(await sendStream('JSON-RPC', base, 'slow:2'));
    const finished = taskIdOf(whole);
    const { id: live } = await startTask(base, 'slow:6');
    await app.get(Retention, { strict: false }).prune(Date.now() + LOG_IS_GONE_MS);
    const [task, ...nothing] = await read(await subscribe('JSON-RPC', base, finished, 2));
    expect(word(task!)).toBe('Task COMPLETED');
    expect(chunks([task!])).toEqual(slowChunks(2));
    expect(task!.id).toBe(whole.at(-1)!.id);
    expect(nothing).toEqual([]);
    const story = await read(await subscribe('JSON-RPC', base, live, 999_999));
    expect(word(story[0]!)).toMatch(/^Task /);
    expect(chunks(story)).toEqual(slowChunks(6));
    await stop(forgetful);
  });

  it.each(['', 'x', '-1', '1.5', '1e3', '0x1'])('takes the header %j for none', async (header) => {
    const { id } = await send(base, 'park');
    const headers = { 'last-event-id': header };
    const response = await fetch(`${base}/a2a/rest/tasks/${id}:subscribe`, {
      headers: { 'a2a-version': '1.0', ...headers },
    });
    expect((await read(response, 1)).map(word)).toEqual(['Task INPUT_REQUIRED']);
  });

  it('goes on with a parked task, whose numbers skip the messages of the user', async () => {
    const before = await read(await sendStream('JSON-RPC', base, 'park'));
    expect(before.map(word)).toEqual(['Task SUBMITTED', 'INPUT_REQUIRED']);
    const taskId = taskIdOf(before);
    const { id: seen } = before.at(-1)!;
    const waiting = events(await subscribe('JSON-RPC', base, taskId, seen));
    const first = waiting.next();
    await send(base, 'one', { message: { taskId } });
    const heard = [(await first).value!];
    for await (const event of waiting) heard.push(event);
    expect(heard.map(word)).toEqual(['one.', 'INPUT_REQUIRED']);
    expect(heard[0]!.id).toBeGreaterThan(seen + 1);
    const replayed = await read(await subscribe('REST', base, taskId, seen));
    expect(plain(replayed)).toEqual(plain(heard));
  });

  it('ignores the header on sends', async () => {
    const [first] = await read(await sendStream('JSON-RPC', base, 'quick', {}, { 'last-event-id': '3' }));
    expect(word(first!)).toBe('Task SUBMITTED');
  });
});
