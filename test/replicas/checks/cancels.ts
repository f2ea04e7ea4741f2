import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { historyTexts, stateOf } from '../../conformance/support/show.js';
import { events, taskIdOf, word } from '../../e2e/calls.js';
import { GRACE_MS, type Replicas } from '../support/replicas.js';
import { follow, openSend } from '../support/stories.js';

/** How long the canceller and the network may take beside what is waited for. */
const SLACK_MS = 1_500;

/** Canceling on one replica what another one runs. */
export function cancelsAcross(replicas: () => Replicas): void {
  it('C05 a cancel on B reaches the run of A within a second, ends its streams, and repeats its answer', async () => {
    const { onA, onB } = replicas();
    const sending = events(await openSend(onA(), 'slow:50'));
    const story = [(await sending.next()).value!];
    const id = taskIdOf(story);
    const following = follow(onB(), id);
    while (word(story.at(-1)!) !== '+c1') story.push((await sending.next()).value!);
    const began = performance.now();
    const canceled = await onB().ok('CancelTask', { id });
    // The run listens to its signal: had the signal not come, the grace period would have passed first.
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(stateOf(canceled)).toBe('CANCELED');
    for await (const event of sending) story.push(event);
    expect(word(story.at(-1)!)).toBe('CANCELED');
    expect(word((await following).at(-1)!)).toBe('CANCELED');
    expect(performance.now() - began).toBeLessThan(1_500);
    for (const peer of [onA(), onB(), onA()]) {
      expect(await peer.ok('CancelTask', { id })).toEqual(canceled);
      expect(await peer.get(id)).toEqual(canceled);
    }
  });

  it.each([
    ['a run that ends by its signal', 'hold:60000'],
    ['a run that is deaf', 'ignorecancel:20000'],
    ['a parked task', 'park'],
    ['a detached task', 'detach:60000'],
    ['a task that waits for a sign-in', 'auth'],
  ])('C03 B ends %s of A as CANCELED within the grace period', async (_, text) => {
    const { onA, onB } = replicas();
    const task = await onA().start(text);
    await sleep(100);
    const began = performance.now();
    const canceled = await onB().ok('CancelTask', { id: task.id });
    expect(performance.now() - began).toBeLessThan(GRACE_MS + SLACK_MS);
    expect(stateOf(canceled)).toBe('CANCELED');
    // What comes after the end is dropped: `auth` goes on 2 s after it began.
    await sleep(text === 'auth' ? 2_200 : 50);
    for (const peer of [onA(), onB()]) expect(await peer.get(task.id)).toEqual(canceled);
    const refusal = await onA().refused('SendMessage', {
      message: { messageId: 'late', role: 'ROLE_USER', parts: [{ text: 'late' }], taskId: task.id },
    });
    expect(refusal.reason).toBe('UNSUPPORTED_OPERATION');
  });

  it('C03 B cancels what A has just submitted', async () => {
    const { onA, onB } = replicas();
    const texts = ['slow:50', 'park', 'hold:60000', 'silent:60'];
    const tasks = await Promise.all(texts.map((text) => onA().start(text)));
    const canceled = await Promise.all(tasks.map(({ id }) => onB().ok('CancelTask', { id })));
    expect(canceled.map(stateOf)).toEqual(texts.map(() => 'CANCELED'));
  });

  it('C03 B cancels a task of A for which messages wait, and none of them is run', async () => {
    const { onA, onB } = replicas();
    const task = await onA().start('ignorecancel:20000');
    const waiting = [1, 2, 3].map((i) => `waits ${i}`);
    await Promise.all(
      waiting.map((text, i) => (i % 2 ? onA() : onB()).start(text, { message: { taskId: task.id } })),
    );
    const canceled = await onB().ok('CancelTask', { id: task.id });
    expect(stateOf(canceled)).toBe('CANCELED');
    expect(historyTexts(canceled).slice(1).toSorted()).toEqual(waiting.map((text) => `U: ${text}`));
    expect(canceled.artifacts ?? []).toEqual([]);
  });

  it('C05 cancels on both at once are answered with one Task', async () => {
    const { onA, onB } = replicas();
    const { id } = await onA().start('slow:50');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => (i % 2 ? onA() : onB()).ok('CancelTask', { id })),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await onB().get(id)).toEqual(answers[0]);
  });

  it('what has ended otherwise is not canceled by the other', async () => {
    const { onA, onB } = replicas();
    const task = await onA().send('quick');
    const refusal = await onB().refused('CancelTask', { id: task.id });
    expect(refusal.reason).toBe('TASK_NOT_CANCELABLE');
    expect(await onB().get(task.id)).toEqual(task);
  });
}
