import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { artifactTexts } from '../../conformance/support/show.js';
import { M } from '../../support/message.js';
import type { Replicas } from '../support/replicas.js';

/** C16: the same message sent again, to whichever replica. */
export function retriesAcross(replicas: () => Replicas): void {
  it('C16 ten sends of one message, on A and on B at once, are one task and one run', async () => {
    const { onA, onB } = replicas();
    const [a, b] = [onA('retrying'), onB('retrying')];
    const params = M('runs');
    const first = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? a : b).ok('SendMessage', params)),
    );
    const again = [await b.ok('SendMessage', params), await a.ok('SendMessage', params)];
    const tasks = [...first, ...again].map(({ task }) => task);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
    for (const task of tasks) expect(artifactTexts(task)).toEqual(['1']);
    expect((await b.ok('ListTasks', { contextId: tasks[0].contextId })).totalSize).toBe(1);
    expect((await a.get(tasks[0].id)).history).toHaveLength(1);
  });

  it('C16 another payload under the same messageId is refused', async () => {
    const { onA, onB } = replicas();
    const message = { messageId: randomUUID() };
    await onA().send('quick', { message });
    const refusal = await onB().refused('SendMessage', M('something else', { message }));
    expect(refusal.reason).toBe('INVALID_PARAMS');
    expect(refusal.httpStatus).toBe(400);
  });

  it('C16 the same messageId of another caller is another message', async () => {
    const { onA, onB } = replicas();
    const params = M('whoami');
    const [mine, theirs] = [
      await onA('one').ok('SendMessage', params),
      await onB('two').ok('SendMessage', params),
    ];
    expect(mine.task.id).not.toBe(theirs.task.id);
    expect(JSON.parse(artifactTexts(theirs.task)[0]!)).toMatchObject({ user: 'two' });
  });

  it('C16 a follow-up that is sent twice is run once', async () => {
    const { onA, onB } = replicas();
    const task = await onA().send('park');
    const params = M('once', { message: { taskId: task.id } });
    await Promise.all([onA().ok('SendMessage', params), onB().ok('SendMessage', params)]);
    await onB().ok('SendMessage', params);
    const end = await onA().get(task.id);
    expect(artifactTexts(end)).toEqual(['once']);
    expect(end.history).toHaveLength(2);
  });
}
