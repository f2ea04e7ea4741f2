import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { artifactTexts, historyTexts, stateOf } from '../../conformance/support/show.js';
import { M } from '../../support/message.js';
import type { Replicas } from '../support/replicas.js';

/** Messages to tasks of another replica. */
export function followUpsAcross(replicas: () => Replicas): void {
  it('C08 runs of 10 parallel messages, split across A and B, never overlap, and each is answered', async () => {
    const { onA, onB } = replicas();
    const task = await onA().send('park');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? onA() : onB()).reply(task, 'runs')),
    );
    for (const answer of answers) expect(stateOf(answer)).toBe('INPUT_REQUIRED');
    for (const peer of [onA(), onB()]) {
      const end = await peer.get(task.id);
      expect(artifactTexts(end)).toEqual(Array.from({ length: 10 }, () => '1'));
      expect(historyTexts(end)).toEqual(['U: park', ...Array.from({ length: 10 }, () => 'U: runs')]);
      expect(new Set(end.history!.map(({ messageId }) => messageId)).size).toBe(11);
    }
  });

  it('C08 each of several messages is answered by its own run', async () => {
    const { onA, onB } = replicas();
    const task = await onB().send('park');
    const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(texts.map((text, i) => (i % 2 ? onA() : onB()).reply(task, text)));
    for (const [i, answer] of answers.entries()) expect(artifactTexts(answer)).toContain(texts[i]);
    expect(artifactTexts(await onA().get(task.id)).toSorted()).toEqual(texts);
  });

  it('C08 no message above the limit is lost after it was accepted', async () => {
    const { onA, onB } = replicas();
    const task = await onA().send('park');
    const texts = Array.from({ length: 40 }, (_, i) => `m${i}`);
    const outcomes = await Promise.all(
      texts.map((text, i) =>
        (i % 2 ? onA() : onB()).call('SendMessage', M(text, { message: { taskId: task.id } })),
      ),
    );
    for (const { refusal } of outcomes) {
      if (refusal) expect(refusal).toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
    }
    const accepted = texts.filter((_, i) => !outcomes[i]!.refusal);
    expect(accepted.length).toBeGreaterThanOrEqual(16);
    const end = await onB().get(task.id);
    expect(artifactTexts(end).toSorted()).toEqual(accepted.toSorted());
    expect(historyTexts(end).slice(1).toSorted()).toEqual(accepted.map((text) => `U: ${text}`).toSorted());
  });

  it('C09 a task keeps its id and context from replica to replica', async () => {
    const { onA, onB } = replicas();
    const task = await onA().send('park');
    for (const peer of [onB(), onA(), onB()]) {
      const answer = await peer.reply(task, 'again');
      expect({ id: answer.id, contextId: answer.contextId }).toEqual({
        id: task.id,
        contextId: task.contextId,
      });
    }
    expect(stateOf(await onB().reply(task, 'finish'))).toBe('COMPLETED');
  });

  it('C12 a task that completes on A while a message comes to B is never revived', async () => {
    const { onA, onB } = replicas();
    const race = async () => {
      const task = await onA().send('park');
      const finish = onA().call('SendMessage', M('finish', { message: { taskId: task.id } }));
      await sleep(Math.random() * 10);
      const late = await onB().call('SendMessage', M('runs', { message: { taskId: task.id } }));
      await finish;
      const end = await onA().get(task.id);
      expect(stateOf(end)).toBe('COMPLETED');
      const history = historyTexts(end);
      if (late.refusal) {
        expect(late.refusal.reason).toBe('UNSUPPORTED_OPERATION');
        expect(history).toEqual(['U: park', 'U: finish']);
      } else {
        expect(history.toSorted()).toEqual(['U: finish', 'U: park', 'U: runs']);
      }
      expect(await onB().get(task.id)).toEqual(end);
    };
    for (let i = 0; i < 4; i++) await Promise.all(Array.from({ length: 5 }, race));
  });
}
