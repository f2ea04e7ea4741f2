import type { Task } from 'nest-a2a';
import { beforeAll, expect, it } from 'vitest';
import { artifactTexts, stateOf } from '../../conformance/support/show.js';
import { M } from '../../support/message.js';
import type { Replicas } from '../support/replicas.js';
import { follow } from '../support/stories.js';

/** E01 with the owner on A and the stranger on B. */
export function ownersAcross(replicas: () => Replicas): void {
  let parked: Task;
  let working: Task;

  beforeAll(async () => {
    const owner = replicas().onA('owner');
    [parked, working] = await Promise.all([owner.send('park'), owner.start('hold:60000')]);
  });

  it.each([
    ['GetTask', (id: string) => ({ id })],
    ['CancelTask', (id: string) => ({ id })],
    ['SubscribeToTask', (id: string) => ({ id })],
    ['SendMessage', (id: string) => M('mine now', { message: { taskId: id } })],
    ['SendStreamingMessage', (id: string) => M('mine now', { message: { taskId: id } })],
  ] as const)('E01 %s on B for the task of another on A is as for none', async (operation, params) => {
    const { onA, onB } = replicas();
    for (const task of [parked, working]) {
      const before = await onA('owner').get(task.id);
      for (const stranger of [onB('stranger'), onA('stranger')]) {
        const refusal = await stranger.refused(operation, params(task.id));
        const none = await stranger.refused(operation, params('made-up'));
        expect(refusal.reason).toBe('TASK_NOT_FOUND');
        const shape = ({ headers: _, ...told }: typeof refusal, id: string) =>
          JSON.parse(JSON.stringify(told).replaceAll(id, 'ID'));
        expect(shape(refusal, task.id)).toEqual(shape(none, 'made-up'));
      }
      expect(await onA('owner').get(task.id)).toEqual(before);
    }
  });

  it('E01 B lists nothing of it to a stranger, and everything to its owner', async () => {
    const { onB } = replicas();
    for (const params of [{ contextId: parked.contextId }, { status: 'TASK_STATE_INPUT_REQUIRED' }]) {
      const theirs = await onB('stranger').ok('ListTasks', params);
      expect(theirs).toMatchObject({ tasks: [], totalSize: 0 });
      expect((await onB('owner').ok('ListTasks', params)).totalSize).toBe(1);
    }
  });

  it('E01 a context of the same name is another for a stranger', async () => {
    const { onB } = replicas();
    const message = { contextId: parked.contextId, referenceTaskIds: [parked.id] };
    const theirs = await onB('stranger').send('whoami', { message });
    expect(JSON.parse(artifactTexts(theirs)[0]!)).toMatchObject({ user: 'stranger', historyLength: 1 });
    expect(theirs.id).not.toBe(parked.id);
  });

  it('E01 the owner is at home on B', async () => {
    const { onA, onB } = replicas();
    const following = follow(onB('owner'), working.id);
    expect(stateOf(await onB('owner').ok('CancelTask', { id: working.id }))).toBe('CANCELED');
    expect((await following).length).toBeGreaterThan(0);
    expect(stateOf(await onB('owner').reply(parked, 'finish'))).toBe('COMPLETED');
    expect(stateOf(await onA('owner').get(parked.id))).toBe('COMPLETED');
  });
}
