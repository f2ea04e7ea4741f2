import { getText } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { rpc } from '../support/rpc.js';
import { PLATFORMS, stop } from './apps.js';
import {
  BINDINGS,
  getTask,
  listTasks,
  read,
  send,
  sendStream,
  short,
  startTask,
  subscribe,
  taskIdOf,
  untilEnded,
  word,
} from './calls.js';

describe.concurrent.each(PLATFORMS)('A17: how tasks end, on %s', (platform) => {
  let base: string;
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: platform, CANCEL_GRACE_MS: '300' });
    base = fixture.base;
  });
  afterAll(() => stop(fixture));

  it.each(BINDINGS)(
    'a run that returns without an end fails its task and says why, over %s',
    async (binding) => {
      const story = await read(await sendStream(binding, base, 'noterminal'));
      expect(story.map(word)).toEqual(['Task SUBMITTED', 'WORKING', 'FAILED']);
      const task = await getTask(base, taskIdOf(story));
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      expect(getText(task.status.message!)).toMatch(/returned without ending/);
      expect(getText(story.at(-1)!.event.statusUpdate!.status.message!)).toMatch(/returned without ending/);
    },
  );

  it('a blocking send of it is answered with FAILED, and nothing is left working', async () => {
    const task = await send(base, 'noterminal');
    expect(short(task.status.state)).toBe('FAILED');
    const working = await listTasks(base, '?status=TASK_STATE_WORKING');
    expect(working.map(({ id }) => id)).not.toContain(task.id);
  });

  it('a detached task stays live after its run, and ends everywhere through its handle', async () => {
    const sent = await sendStream('JSON-RPC', base, 'detach:800');
    const [opening] = await read(sent, 2);
    const { id } = opening!.event.task!;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await getTask(base, id)).status.state).toBe('TASK_STATE_WORKING');
    const subscribers = await Promise.all(
      BINDINGS.map(async (binding) => read(await subscribe(binding, base, id))),
    );
    for (const story of subscribers) expect(story.map(word)).toEqual(['Task WORKING', 'COMPLETED']);
    expect((await getTask(base, id)).status.state).toBe('TASK_STATE_COMPLETED');
    const resumed = await read(await subscribe('JSON-RPC', base, id, 1));
    expect(resumed.map(word).at(-1)).toBe('COMPLETED');
  });

  it.each(BINDINGS)(
    'the stream of the send itself goes on to the end of a detached task, over %s',
    async (binding) => {
      const story = await read(await sendStream(binding, base, 'detach:300'));
      expect(story.map(word)).toEqual(['Task SUBMITTED', 'WORKING', 'COMPLETED']);
    },
  );

  it('a blocking send waits for the end of a detached task', async () => {
    expect(short((await send(base, 'detach:300')).status.state)).toBe('COMPLETED');
  });

  it('a detached task can be canceled, and its handle comes too late', async () => {
    const { id } = await startTask(base, 'detach:600');
    const story = subscribe('JSON-RPC', base, id).then(read);
    const { body } = await rpc(base, 'CancelTask', { id });
    expect(body.result.status.state).toBe('TASK_STATE_CANCELED');
    expect((await story).map(word).at(-1)).toBe('CANCELED');
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect((await untilEnded(base, id, 0)).status.state).toBe('TASK_STATE_CANCELED');
  });
});
