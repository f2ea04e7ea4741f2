import {
  getText,
  InvalidParamsError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  userMessage,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from 'nest-a2a';
import { ArtifactAggregator } from 'nest-a2a/client';
import { expect, it } from 'vitest';
import { clientOf } from '../../client/clients.js';
import { DroppingProxy } from '../../support/dropping-proxy.js';
import { onEveryPeer } from './on-every-peer.js';

const send = (text: string, extra: Partial<SendMessageRequest> = {}): SendMessageRequest => ({
  message: userMessage(text),
  ...extra,
});
const follow = (text: string, taskId: string): SendMessageRequest => ({
  message: { ...userMessage(text), taskId },
});

onEveryPeer((wire) => {
  const taskOf = async (request: SendMessageRequest): Promise<Task> => {
    const { task } = await wire.client.sendMessage(request);
    if (!task) throw new Error('The agent answered with a message');
    return task;
  };
  const start = (text: string) => taskOf(send(text, { configuration: { returnImmediately: true } }));

  it('reads the card', async () => {
    const card = await wire.client.card();
    expect(card.name).toMatch(/^Scripted agent/);
    expect(card.supportedInterfaces).toHaveLength(2);
  });

  it('sends and gets the finished task', async () => {
    const task = await taskOf(send('quick'));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts?.map((artifact) => getText(artifact))).toEqual(['Hello, quick']);
    expect(task.history?.[0]?.parts[0]?.text).toBe('quick');
  });

  it('sends and gets a message', async () => {
    const { message } = await wire.client.sendMessage(send('message'));
    expect(getText(message!)).toBe('Hello');
  });

  it('sends and does not wait', async () => {
    const task = await start('hold:300');
    expect(task.status.state).toMatch(/SUBMITTED|WORKING/);
    await expect
      .poll(async () => (await wire.client.getTask({ id: task.id })).status.state, { timeout: 5_000 })
      .toBe('TASK_STATE_COMPLETED');
  });

  it('goes on with a task that waits for input', async () => {
    const parked = await taskOf(send('park'));
    expect(parked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const task = await taskOf(follow('finish', parked.id));
    expect(task).toMatchObject({ id: parked.id, status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('gets a failed task as a task', async () => {
    expect((await taskOf(send('boom'))).status.state).toBe('TASK_STATE_FAILED');
  });

  it.each([
    ['quick', ['task SUBMITTED', 'WORKING', 'Hello, quick.', 'COMPLETED']],
    ['slow:3', ['task SUBMITTED', 'WORKING', 'c0', '+c1', '+c2.', 'COMPLETED']],
    ['message', ['message Hello']],
    ['park', ['task SUBMITTED', 'INPUT_REQUIRED']],
    ['boom', ['task SUBMITTED', 'FAILED']],
  ])('streams %s', async (text, shown) => {
    const events: StreamResponse[] = [];
    for await (const event of wire.client.stream(send(text))) events.push(event);
    expect(events.map(show)).toEqual(shown);
  });

  it('leaves a stream, and the task goes on', async () => {
    let id = '';
    for await (const { task } of wire.client.stream(send('slow:2'))) {
      id = task!.id;
      break;
    }
    await expect
      .poll(async () => (await wire.client.getTask({ id })).status.state, { timeout: 5_000 })
      .toBe('TASK_STATE_COMPLETED');
  });

  // The Python SDK's server tells some events in the opening Task of a subscription and once more after it: 6 of 40 plain subscriptions.
  it.runIf(wire.isInProcess)(
    'goes on through a proxy that drops every connection, each chunk once',
    async () => {
      const proxy = await DroppingProxy.start({ target: wire.base, seed: 7 });
      const client = clientOf(proxy.base, wire.binding, { resume: { initialDelayMs: 10 } });
      try {
        const streams = Array.from({ length: 10 }, async () => {
          const seen = await ArtifactAggregator.of(client.stream(send('slow:4')));
          expect(seen.text).toBe('c0c1c2c3');
          expect(seen.task?.status.state).toBe('TASK_STATE_COMPLETED');
        });
        await Promise.all(streams);
        expect(proxy.drops).toBeGreaterThan(10);
      } finally {
        await client.close();
        await proxy.close();
      }
    },
  );

  it('subscribes to a live task', async () => {
    const { id } = await start('slow:5');
    const events: StreamResponse[] = [];
    for await (const event of wire.client.subscribe({ id })) events.push(event);
    expect(events[0]?.task?.id).toBe(id);
    expect(events.flatMap(textsOf).join('')).toBe('c0c1c2c3c4');
    expect(show(events.at(-1)!)).toBe('COMPLETED');
  });

  it('is told that a finished task cannot be subscribed to', async () => {
    const { id } = await taskOf(send('quick'));
    const error = await wire.client
      .subscribe({ id })
      .next()
      .catch((reason: unknown) => reason);
    // The Python SDK's server finds the parameters at fault, against §3.1.6.
    const isPython = (await wire.client.card()).name.includes('Python');
    expect(error).toBeInstanceOf(isPython ? InvalidParamsError : UnsupportedOperationError);
  });

  it('gets a task with as much history as it asks for', async () => {
    const { id } = await taskOf(send('quick'));
    expect((await wire.client.getTask({ id, historyLength: 0 })).history ?? []).toEqual([]);
    expect((await wire.client.getTask({ id, historyLength: 1 })).history).toHaveLength(1);
    expect((await wire.client.getTask({ id })).history?.length).toBeGreaterThan(0);
  });

  it('is told that a task does not exist, by every operation on one', async () => {
    const id = 'nobody';
    await expect(wire.client.getTask({ id })).rejects.toBeInstanceOf(TaskNotFoundError);
    await expect(wire.client.cancelTask({ id })).rejects.toBeInstanceOf(TaskNotFoundError);
    await expect(wire.client.subscribe({ id }).next()).rejects.toBeInstanceOf(TaskNotFoundError);
    await expect(wire.client.sendMessage(follow('quick', id))).rejects.toBeInstanceOf(TaskNotFoundError);
    await expect(wire.client.stream(follow('quick', id)).next()).rejects.toBeInstanceOf(TaskNotFoundError);
  });

  it('lists tasks, page by page', async () => {
    const { contextId } = await taskOf(send('quick'));
    await taskOf({ message: { ...userMessage('quick'), contextId: contextId! } });
    const first = await wire.client.listTasks({ contextId: contextId!, pageSize: 1 });
    expect(first).toMatchObject({ totalSize: 2, tasks: [{ contextId }] });
    expect(first.nextPageToken).not.toBe('');
    const pageToken = first.nextPageToken!;
    const second = await wire.client.listTasks({ contextId: contextId!, pageSize: 1, pageToken });
    expect(second.tasks).toHaveLength(1);
    expect(second.tasks![0]!.id).not.toBe(first.tasks![0]!.id);
    const done = await wire.client.listTasks({
      contextId: contextId!,
      status: 'TASK_STATE_COMPLETED',
      includeArtifacts: true,
      historyLength: 0,
    });
    expect(done.tasks!.map(({ artifacts }) => artifacts?.length)).toEqual([1, 1]);
    expect(await wire.client.listTasks({ contextId: 'nobody' })).toMatchObject({ totalSize: 0 });
  });

  it('cancels', async () => {
    const { id } = await taskOf(send('park'));
    expect((await wire.client.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
  });

  it('is told that a finished task cannot be canceled', async () => {
    const { id } = await taskOf(send('quick'));
    await expect(wire.client.cancelTask({ id })).rejects.toBeInstanceOf(TaskNotCancelableError);
  });

  it('creates, gets, lists and deletes push notification configurations', async () => {
    const { id: taskId } = await taskOf(send('park'));
    const url = 'https://example.com/hook';
    const created = await wire.client.createTaskPushNotificationConfig({
      taskId,
      id: 'hook',
      url,
      token: 't',
    });
    expect(created).toMatchObject({ id: 'hook', url });
    expect(await wire.client.getTaskPushNotificationConfig({ taskId, id: 'hook' })).toMatchObject({ url });
    const { configs } = await wire.client.listTaskPushNotificationConfigs({ taskId });
    expect(configs?.map((config) => config.id)).toEqual(['hook']);
    await wire.client.deleteTaskPushNotificationConfig({ taskId, id: 'hook' });
    const left = await wire.client.listTaskPushNotificationConfigs({ taskId });
    expect(left.configs ?? []).toEqual([]);
  });

  it('gets the extended card', async () => {
    expect((await wire.client.getExtendedAgentCard()).name).toMatch(/^Scripted agent/);
  });
});

/** A stream in short: `task WORKING`, `COMPLETED`, `message …`, or an artifact's text with `+` for append and `.` for last. */
function show({ task, message, statusUpdate, artifactUpdate }: StreamResponse): string {
  const state = (status?: Task['status']) => status?.state.replace('TASK_STATE_', '');
  if (task) return `task ${state(task.status)}`;
  if (message) return `message ${getText(message)}`;
  if (statusUpdate) return `${state(statusUpdate.status)}`;
  const { append, artifact, lastChunk } = artifactUpdate!;
  return `${append ? '+' : ''}${getText(artifact)}${lastChunk ? '.' : ''}`;
}

function textsOf({ task, artifactUpdate }: StreamResponse): string[] {
  const artifacts = artifactUpdate ? [artifactUpdate.artifact] : (task?.artifacts ?? []);
  return artifacts.map((artifact) => getText(artifact, ''));
}
