import { randomUUID } from 'node:crypto';
import { TaskState, type Task } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotCancelableError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { expect, it } from 'vitest';
import { onEveryWire } from './on-every-wire.js';
import { listing, sendForTask, state, textOf } from './sdk.js';

onEveryWire('tasks', {}, (wire) => {
  it('getTask shows as much history as asked for', async () => {
    const { id, contextId } = await sendForTask(wire.client, 'park');
    await sendForTask(wire.client, 'second', { message: { taskId: id, contextId } });
    const get = (historyLength?: number) => wire.client.getTask({ tenant: '', id, historyLength });
    expect((await get()).history.map(textOf)).toEqual(['park', 'second']);
    expect((await get(1)).history.map(textOf)).toEqual(['second']);
    expect((await get(0)).history).toEqual([]);
    expect((await get(100)).history).toHaveLength(2);
    expect((await get()).artifacts.map(textOf)).toEqual(['second']);
  });

  it('cancelTask cancels, and cancels again', async () => {
    const { id } = await sendForTask(wire.client, 'hold:30000', {
      configuration: { returnImmediately: true },
    });
    const request = { tenant: '', id, metadata: undefined };
    expect(state(await wire.client.cancelTask(request))).toBe('CANCELED');
    expect(state(await wire.client.cancelTask(request))).toBe('CANCELED');
    expect(state(await wire.client.getTask({ tenant: '', id }))).toBe('CANCELED');
  });

  it('cancelTask does not undo an end, and finds no task that is not there', async () => {
    const { id } = await sendForTask(wire.client, 'quick');
    const cancel = (taskId: string) =>
      wire.client.cancelTask({ tenant: '', id: taskId, metadata: undefined });
    await expect(cancel(id)).rejects.toBeInstanceOf(TaskNotCancelableError);
    await expect(cancel('no-such-task')).rejects.toBeInstanceOf(TaskNotFoundError);
  });

  it('finds a task whose id must be escaped as little as any other', async () => {
    for (const id of ['a:cancel', 'ü/?#%2F', 'a b'])
      await expect(wire.client.getTask({ tenant: '', id })).rejects.toMatchObject({
        name: 'TaskNotFoundError',
        message: expect.stringContaining(JSON.stringify(id)),
      });
  });

  it('listTasks goes through the pages, the latest first', async () => {
    const contextId = randomUUID();
    const sent: string[] = [];
    for (let i = 0; i < 5; i++) {
      sent.unshift((await sendForTask(wire.client, 'quick', { message: { contextId } })).id);
    }
    const listed: Task[] = [];
    const sizes: number[] = [];
    let pageToken = '';
    do {
      const page = await wire.client.listTasks(listing({ contextId, pageSize: 2, pageToken }));
      expect(page).toMatchObject({ totalSize: 5, pageSize: 2 });
      listed.push(...page.tasks);
      sizes.push(page.tasks.length);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(sizes).toEqual([2, 2, 1]);
    expect(listed.map(({ id }) => id).toSorted()).toEqual(sent.toSorted());
    const times = listed.map(({ status }) => status?.timestamp ?? '');
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('listTasks filters by context, state and time, and shows artifacts only when asked', async () => {
    const contextId = randomUUID();
    const completed = await sendForTask(wire.client, 'quick', { message: { contextId } });
    const parked = await sendForTask(wire.client, 'park', { message: { contextId } });
    const ids = async (changes: Parameters<typeof listing>[0]) =>
      (await wire.client.listTasks(listing({ contextId, ...changes }))).tasks.map(({ id }) => id);

    expect(await ids({})).toEqual([parked.id, completed.id]);
    expect(await ids({ status: TaskState.TASK_STATE_COMPLETED })).toEqual([completed.id]);
    expect(await ids({ status: TaskState.TASK_STATE_WORKING })).toEqual([]);
    expect(await ids({ contextId: randomUUID() })).toEqual([]);
    expect(await ids({ statusTimestampAfter: parked.status?.timestamp })).toContain(parked.id);
    expect(await ids({ statusTimestampAfter: '2999-01-01T00:00:00Z' })).toEqual([]);

    const show = async (changes: Parameters<typeof listing>[0]) =>
      (
        await wire.client.listTasks(
          listing({ contextId, status: TaskState.TASK_STATE_COMPLETED, ...changes }),
        )
      ).tasks[0];
    expect((await show({}))?.artifacts).toEqual([]);
    expect((await show({ includeArtifacts: true }))?.artifacts.map(textOf)).toEqual(['Hello, quick']);
    expect((await show({ historyLength: 0 }))?.history).toEqual([]);
    expect((await show({ historyLength: 5 }))?.history.map(textOf)).toEqual(['quick']);
  });

  it('listTasks refuses a page size and a token that make no sense', async () => {
    const refused = [listing({ pageSize: 101 }), listing({ pageSize: 0 }), listing({ pageToken: 'made-up' })];
    for (const request of refused) {
      const error = await wire.client.listTasks(request).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RequestMalformedError);
      expect(error).toMatchObject({ message: expect.stringMatching(/page(Size|Token)/) });
    }
  });
});
