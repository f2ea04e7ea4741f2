import { getText, type Task } from 'nest-a2a';
import { expect, it } from 'vitest';
import { artifactTexts, historyTexts, stateOf } from '../../conformance/support/show.js';
import { M } from '../../support/message.js';
import type { Replicas } from '../support/replicas.js';

/** What callers are told, whichever process ran for them, and whichever they ask. */
export function answersAcross(replicas: () => Replicas): void {
  it('C07 a task of A is the same on B, at once', async () => {
    const { onA, onB } = replicas();
    for (const text of ['quick', 'park', 'bytes:1000', 'chunks:20', 'bare-task', 'reject', 'detach:0']) {
      const task = await onA().send(text);
      expect(await onB().get(task.id)).toEqual(await onA().get(task.id));
      expect((await onB().get(task.id)).status).toEqual(task.status);
    }
    for (const peer of [onA(), onB()]) {
      expect((await peer.refused('GetTask', { id: 'unknown' })).reason).toBe('TASK_NOT_FOUND');
    }
  });

  it('C07 A and B list the same pages, of live tasks too', async () => {
    const { onA, onB } = replicas();
    const [a, b] = [onA('lister'), onB('lister')];
    await Promise.all(['quick', 'park', 'quick', 'slow:2'].map((text) => a.send(text)));
    await Promise.all(['quick', 'park', 'reject'].map((text) => b.send(text)));
    const live = await a.start('hold:60000');
    const pages = async (peer: typeof a): Promise<Task[][]> => {
      const found: Task[][] = [];
      for (let pageToken = ''; ;) {
        const page = await peer.ok('ListTasks', { pageSize: 3, includeArtifacts: true, pageToken });
        expect(page.totalSize).toBe(8);
        found.push(page.tasks);
        pageToken = page.nextPageToken;
        if (!pageToken) return found;
      }
    };
    expect(await pages(b)).toEqual(await pages(a));
    const working = await b.ok('ListTasks', { status: 'TASK_STATE_WORKING' });
    expect(working.tasks.map(({ id }: Task) => id)).toEqual([live.id]);
    await b.ok('CancelTask', { id: live.id });
  });

  it('a caller gets the ends that an agent gives, as if it ran right here', async () => {
    const { onA, onB } = replicas();
    for (const peer of [onA(), onB()]) {
      const publicly = await peer.send('public-error');
      expect(getText(publicly.status.message!)).toBe('The order number is missing');
      const secretly = await peer.send('boom');
      expect(stateOf(secretly)).toBe('FAILED');
      expect(JSON.stringify(secretly)).not.toMatch(/hunter2|srv/);
      expect(getText((await peer.send('noterminal')).status.message!)).toMatch(/returned without ending/);
      expect(stateOf(await peer.send('reject'))).toBe('REJECTED');
      const { message } = await peer.ok('SendMessage', M('message'));
      expect(getText(message)).toBe('Hello');
      expect(artifactTexts(await peer.send('slow:3'))).toEqual(['c0|c1|c2']);
    }
  });

  it('the executor sees who calls, wherever it runs', async () => {
    const { onA, onB } = replicas();
    for (const peer of [onA('grace'), onB('grace')]) {
      const task = await peer.send('whoami', { tenant: 'acme' });
      expect(JSON.parse(artifactTexts(task)[0]!)).toMatchObject({
        user: 'grace',
        tenant: 'acme',
        contextId: task.contextId,
        historyLength: 1,
      });
      expect(historyTexts(task)).toEqual(['U: whoami']);
    }
  });
}
