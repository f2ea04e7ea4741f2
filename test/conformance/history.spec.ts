import type { Task } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { headersOf } from '../support/http.js';
import { M } from '../support/message.js';
import { PLATFORMS } from './support/app.js';
import { BINDINGS, Peer } from './support/peer.js';
import { historyTexts } from './support/show.js';

const ALL = ['U: park', 'U: one', 'U: two', 'U: three'];

describe.each(PLATFORMS)('D12 historyLength on %s', (adapter) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: adapter });
  });
  afterAll(() => fixture?.close());

  describe.each(BINDINGS)('over %s', (binding) => {
    let peer: Peer;
    let task: Task;

    beforeAll(async () => {
      peer = new Peer(`${fixture.base}/a2a`, binding);
      task = await peer.send('park');
      for (const text of ['one', 'two', 'three']) await peer.reply(task, text);
    });

    const expectHistory = (shown: Task, texts: readonly string[]) => {
      if (texts.length === 0) expect(shown).not.toHaveProperty('history');
      else expect(historyTexts(shown)).toEqual(texts);
    };

    it.each([
      [undefined, ALL],
      [0, []],
      [1, ALL.slice(-1)],
      [2, ALL.slice(-2)],
      [4, ALL],
      [1_000, ALL],
    ])('%j on GetTask and ListTasks', async (historyLength, texts) => {
      const length = historyLength === undefined ? {} : { historyLength };
      expectHistory(await peer.ok('GetTask', { id: task.id, ...length }), texts);
      const { tasks } = await peer.ok('ListTasks', { contextId: task.contextId, ...length });
      expectHistory(tasks[0], texts);
      // Nothing of it is lost where it is kept.
      expectHistory(await peer.get(task.id), ALL);
    });

    it.each([
      [undefined, ['U: park', 'U: more']],
      [0, []],
      [1, ['U: more']],
      [5, ['U: park', 'U: more']],
    ])('%j on SendMessage and the stream’s Task', async (historyLength, texts) => {
      const parked = await peer.send('park');
      const message = { taskId: parked.id };
      const configuration = historyLength === undefined ? {} : { historyLength };
      const { task: answered } = await peer.ok('SendMessage', M('more', { message, configuration }));
      expectHistory(answered, texts);
      expectHistory(await peer.get(parked.id), ['U: park', 'U: more']);

      const { task: now } = await peer.ok(
        'SendMessage',
        M('again', { message, configuration: { ...configuration, returnImmediately: true } }),
      );
      expect(now.history?.length ?? 0).toBeLessThanOrEqual(historyLength ?? 3);

      const [first] = await peer.events('SendStreamingMessage', M('quick', { configuration }));
      expectHistory(first!.task!, historyLength === 0 ? [] : ['U: quick']);
      const fresh = await peer.get(first!.task!.id);
      expectHistory(fresh, ['U: quick']);
      const [opening] = await peer.events('SendStreamingMessage', M('last', { message, configuration }));
      const known = ['U: park', 'U: more', 'U: again', 'U: last'];
      expectHistory(
        opening!.task!,
        historyLength === undefined ? known : known.slice(known.length - Math.min(historyLength, 4)),
      );
    });

    it.each([-1, -100, 1.5, 'x', true, [1]])('refuses %j', async (historyLength) => {
      const queries = [
        ['GetTask', { id: task.id, historyLength }],
        ['ListTasks', { historyLength }],
      ] as const;
      // What a query cannot say is text there.
      for (const [operation, params] of Array.isArray(historyLength) && binding === 'HTTP+JSON'
        ? []
        : queries) {
        expect(await peer.refused(operation, params)).toMatchObject({
          reason: 'INVALID_PARAMS',
          fields: ['historyLength'],
        });
      }
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        const params = { ...M('more', { message: { taskId: task.id } }), configuration: { historyLength } };
        expect(await peer.refused(operation, params)).toMatchObject({
          reason: 'INVALID_PARAMS',
          fields: ['configuration.historyLength'],
        });
      }
      expectHistory(await peer.get(task.id), ALL);
    });
  });

  it('?historyLength=0 and ?history_length=0 show none', async () => {
    const { id } = await new Peer(`${fixture.base}/a2a`, 'HTTP+JSON').send('quick');
    for (const query of ['historyLength=0', 'history_length=0']) {
      const response = await fetch(`${fixture.base}/a2a/rest/tasks/${id}?${query}`, { headers: headersOf() });
      expect(await response.json()).not.toHaveProperty('history');
    }
    for (const query of ['historyLength=', 'historyLength=-1', 'historyLength=1.5', 'historyLength=x']) {
      const response = await fetch(`${fixture.base}/a2a/rest/tasks/${id}?${query}`, { headers: headersOf() });
      expect(response.status, query).toBe(400);
    }
  });
});
