import { TaskState, type StreamResponse } from '@a2a-js/sdk';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { expect, it } from 'vitest';
import { onEveryWire } from './on-every-wire.js';
import { artifactText, collect, send, sendForTask, show, state, textOf, V1 } from './sdk.js';

onEveryWire('sendMessageStream', {}, (wire) => {
  const stream = async (text: string) => collect(wire.client.sendMessageStream(send(text)));

  it.each([
    ['quick', ['Task SUBMITTED', 'WORKING', 'Hello, quick.', 'COMPLETED']],
    ['slow:3', ['Task SUBMITTED', 'WORKING', 'c0', '+c1', '+c2.', 'COMPLETED']],
    ['bare-status', ['Task SUBMITTED', 'WORKING', 'COMPLETED']],
    ['message', ['Message Hello']],
    ['park', ['Task SUBMITTED', 'INPUT_REQUIRED']],
    ['boom-late', ['Task SUBMITTED', 'c0', '+c1', 'FAILED']],
    ['detach:50', ['Task SUBMITTED', 'WORKING', 'COMPLETED']],
  ])('shows %s', async (text, shown) => {
    expect((await stream(text)).map(show)).toEqual(shown);
  });

  it('puts the chunks of an artifact together as the task has them', async () => {
    const events = await stream('chunks:300');
    const chunks = events.flatMap(({ payload }) =>
      payload?.$case === 'artifactUpdate' ? payload.value : [],
    );
    expect(new Set(chunks.map(({ artifact }) => artifact?.artifactId)).size).toBe(1);
    expect(chunks.map(({ lastChunk }) => lastChunk).indexOf(true)).toBe(299);
    const task = await wire.client.getTask({ tenant: '', id: chunks[0]!.taskId });
    expect(task.artifacts).toHaveLength(1);
    expect(chunks.map(({ artifact }) => textOf(artifact)).join('')).toBe(textOf(task.artifacts[0]));
  });

  it('goes on with a parked task: a snapshot, then what it does not tell yet', async () => {
    const { id } = await sendForTask(wire.client, 'park');
    const events = await collect(wire.client.sendMessageStream(send('more', { message: { taskId: id } })));
    expect(events[0]?.payload?.$case).toBe('task');
    expect(artifactText(events)).toBe('more');
    expect(show(events.at(-1)!)).toMatch(/INPUT_REQUIRED$/);
  });

  it('may leave; the task goes on', async () => {
    const abort = new AbortController();
    const events = wire.client.sendMessageStream(send('slow:3'), { signal: abort.signal });
    const first = (await events.next()).value as StreamResponse;
    if (first.payload?.$case !== 'task') throw new Error('no task first');
    const { id } = first.payload.value;
    abort.abort();
    // What had arrived already is still shown.
    await expect(collect(events)).rejects.toThrow(/abort/i);
    await expect
      .poll(async () => state(await wire.client.getTask({ tenant: '', id })), { timeout: 5_000 })
      .toBe('COMPLETED');
  });
});

onEveryWire('resubscribeTask', {}, (wire) => {
  const start = (text: string) =>
    sendForTask(wire.client, text, { configuration: { returnImmediately: true } });

  it('joins a live task: a snapshot, then the rest', async () => {
    const { id } = await start('slow:5');
    const events = await collect(wire.client.resubscribeTask({ tenant: '', id }));
    expect(events[0]?.payload?.$case).toBe('task');
    expect(events.length).toBeGreaterThan(2);
    expect(show(events.at(-1)!)).toBe('COMPLETED');
    expect(artifactText(events)).toBe('c0c1c2c3c4');
  });

  it('shows two readers the same', async () => {
    const { id } = await start('slow:3');
    const last = async () => (await collect(wire.client.resubscribeTask({ tenant: '', id }))).slice(-2);
    const [one, two] = await Promise.all([last(), last()]);
    expect(one.map(show)).toEqual(['+c2.', 'COMPLETED']);
    expect(two).toEqual(one);
  });

  it('stays with a parked task until it goes on', async () => {
    const { id } = await sendForTask(wire.client, 'park');
    const events = wire.client.resubscribeTask({ tenant: '', id });
    expect(show((await events.next()).value as StreamResponse)).toBe('Task INPUT_REQUIRED');
    const rest = collect(events);
    await sendForTask(wire.client, 'finish', { message: { taskId: id } });
    expect(show((await rest).at(-1)!)).toBe('COMPLETED');
  });

  it('is refused for a task that has ended', async () => {
    const { id, status } = await sendForTask(wire.client, 'quick');
    expect(status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    await expect(collect(wire.client.resubscribeTask({ tenant: '', id }))).rejects.toBeInstanceOf(
      UnsupportedOperationError,
    );
  });
});

onEveryWire('an agent that does not stream', { CAPABILITIES: '' }, (wire) => {
  it('is sent to without streaming by the client, and answers with the finished task', async () => {
    const events = await collect(wire.client.sendMessageStream(send('quick')));
    expect(events.map(show)).toEqual(['Task COMPLETED']);
  });

  it('refuses a stream all the same', async () => {
    const direct = wire.client.transport.sendMessageStream(send('quick'), V1);
    await expect(collect(direct)).rejects.toBeInstanceOf(UnsupportedOperationError);
    const { id } = await sendForTask(wire.client, 'park');
    await expect(collect(wire.client.resubscribeTask({ tenant: '', id }))).rejects.toBeInstanceOf(
      UnsupportedOperationError,
    );
  });
});
