import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BINDINGS, Peer } from '../conformance/support/peer.js';
import { PLATFORMS } from '../conformance/support/app.js';
import { show } from '../conformance/support/show.js';
import { startFixture, type Fixture } from '../fixtures/scripted-agent/bootstrap.js';
import { M } from '../support/message.js';
import { chunksIn, Webhook } from '../support/webhook.js';

const STORY = ['Task SUBMITTED', 'WORKING', 'a0 Hello, quick .', 'COMPLETED'];

describe.each(PLATFORMS)('push notifications on %s', (platform) => {
  let fixture: Fixture;
  let hook: Webhook;

  beforeAll(async () => {
    fixture = await startFixture({
      PORT: '0',
      ADAPTER: platform,
      PUSH_ALLOW: '127.0.0.1',
      PUSH_BACKOFF_MS: '20',
    });
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    hook = await Webhook.open();
  });
  afterEach(() => hook.close());

  describe.each(BINDINGS)('over %s', (binding) => {
    const peer = () => new Peer(`${fixture.base}/a2a`, binding);
    const inline = (config = {}) => ({
      configuration: { taskPushNotificationConfig: { url: hook.url(), ...config } },
    });
    /** Sends, with a webhook, and does not wait. */
    const start = (text: string): Promise<unknown> => {
      const { taskPushNotificationConfig } = inline().configuration;
      const configuration = { taskPushNotificationConfig, returnImmediately: true };
      return peer().ok('SendMessage', { ...M(text), configuration });
    };
    const told = (path?: string) => show(hook.delivered(path).map(({ event }) => event));

    it('E03: a notification says what the config asks for', async () => {
      const authentication = { scheme: 'bearer', credentials: 's3cr3t-x' };
      const task = await peer().send('quick', inline({ token: 's3cr3t-abc', authentication }));
      await hook.untilEnd();
      expect(told()).toEqual(STORY);
      const ids = new Set<string>();
      for (const { headers, event, id } of hook.received) {
        expect(headers).toMatchObject({
          'content-type': 'application/a2a+json',
          'a2a-version': '1.0',
          authorization: 'Bearer s3cr3t-x',
          'x-a2a-notification-token': 's3cr3t-abc',
        });
        expect(Object.keys(event)).toHaveLength(1);
        ids.add(id);
      }
      expect(ids.size).toBe(STORY.length);
      expect(hook.received[0]!.event.task!.id).toBe(task.id);
    });

    it('F09: a notification has the trace context of the call with its message, and of no other', async () => {
      const traced = (digit: string, more = {}) =>
        peer().with({ traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01`, ...more });
      const tracesOf = (path: string) =>
        hook
          .delivered(path)
          .map(({ headers: { traceparent, tracestate } }) => [traceparent?.[3], tracestate]);
      const task = await traced('a', { tracestate: 'vendor=ada' }).send(
        'park',
        inline({ url: hook.url('/a') }),
      );
      await traced('e').send('quick', inline({ url: hook.url('/e') }));
      await traced('b', { tracestate: 'vendor=bob' }).reply(task, 'more');
      await traced('c').ok('CreateTaskPushNotificationConfig', { taskId: task.id, url: hook.url('/c') });
      await hook.until(() => hook.delivered('/c').length === 1);
      await peer().reply(task, 'finish');
      await Promise.all(['/a', '/c', '/e'].map((path) => hook.untilEnd(path)));
      const [ada, bob, nobody] = [
        ['a', 'vendor=ada'],
        ['b', 'vendor=bob'],
        [undefined, undefined],
      ];
      expect(tracesOf('/a')).toEqual([ada, ada, bob, bob, nobody]);
      expect(tracesOf('/c')).toEqual([bob, nobody]);
      expect(tracesOf('/e')).toEqual(STORY.map(() => ['e', undefined]));
    });

    it('E07: blocking and streaming tell the whole story', async () => {
      await peer().send('quick', inline());
      const streamed = await peer().stream('quick', inline({ url: hook.url('/streaming') }));
      await Promise.all(['/streaming', '/hook'].map((path) => hook.untilEnd(path)));
      expect(told('/hook')).toEqual(STORY);
      expect(told('/streaming')).toEqual(show(streamed));
    });

    it('E07: returnImmediately', async () => {
      await start('hold:100');
      await hook.untilEnd();
      expect(told()).toEqual(['Task SUBMITTED', 'WORKING', 'COMPLETED']);
    });

    it('E07: a follow-up, and one that brings a webhook along', async () => {
      const task = await peer().send('park', inline({ id: 'first' }));
      await peer().reply(task, 'more');
      await peer().send('finish', {
        ...inline({ id: 'second', url: hook.url('/second') }),
        message: { taskId: task.id },
      });
      await hook.untilEnd('/hook');
      await hook.untilEnd('/second');
      expect(told('/hook')).toEqual([
        'Task SUBMITTED',
        'INPUT_REQUIRED',
        'a0 more .',
        'INPUT_REQUIRED',
        'COMPLETED',
      ]);
      expect(told('/second').at(0)).toMatch(/^Task/);
      expect(told('/second').at(-1)).toMatch(/COMPLETED/);
    });

    it.each([
      ['detach:100', ['Task SUBMITTED', 'WORKING', 'COMPLETED']],
      ['auth', ['Task SUBMITTED', 'AUTH_REQUIRED', 'WORKING', 'COMPLETED']],
    ])('E07: out of band, %s', async (text, story) => {
      await start(text);
      await hook.untilEnd();
      expect(told()).toEqual(story);
    });

    it('A02: goes on when nobody listens any more', async () => {
      const leaving = new AbortController();
      const response = await peer().request('SendStreamingMessage', M('slow:3', inline()), leaving.signal);
      await response.body!.getReader().read();
      leaving.abort();
      await hook.untilEnd();
      const [submitted, working, ...rest] = told();
      expect([submitted, working, rest.at(-1)]).toEqual(['Task SUBMITTED', 'WORKING', 'COMPLETED']);
      expect(chunksIn(hook.delivered())).toBe('c0c1c2');
    });

    it('a new webhook of a running task is told the Task first, and of a finished one only that', async () => {
      const task = await peer().send('park');
      const config = await peer().ok('CreateTaskPushNotificationConfig', {
        taskId: task.id,
        url: hook.url(),
      });
      await hook.until(() => hook.delivered().length === 1);
      await peer().reply(task, 'finish');
      await hook.untilEnd();
      expect(config.id).toEqual(expect.any(String));
      expect(told()).toEqual(['Task INPUT_REQUIRED', 'COMPLETED']);
      await peer().ok('CreateTaskPushNotificationConfig', { taskId: task.id, url: hook.url('/late') });
      await hook.untilEnd('/late');
      expect(told('/late')).toEqual(['Task COMPLETED']);
    });

    it('a deleted webhook is told nothing more', async () => {
      const task = await peer().send('park', inline({ id: 'mine' }));
      await hook.until(() => hook.delivered().length === 2);
      await peer().ok('DeleteTaskPushNotificationConfig', { taskId: task.id, id: 'mine' });
      await peer().reply(task, 'finish');
      await sleep(100);
      expect(hook.received).toHaveLength(2);
    });

    it('E08: in order, and a slow webhook delays neither another nor the caller', async () => {
      hook.answer(async () => {
        await sleep(Math.random() * 300);
        return 200;
      });
      const other = await Webhook.open();
      try {
        const task = await peer().send('park', inline());
        await peer().ok('CreateTaskPushNotificationConfig', { taskId: task.id, url: other.url() });
        await other.until(() => other.delivered().length === 1);
        await peer().reply(task, 'one');
        await peer().reply(task, 'finish');
        await other.untilEnd();
        const { at } = other.received.at(-1)!;
        await hook.untilEnd();
        expect(told()).toEqual([
          'Task SUBMITTED',
          'INPUT_REQUIRED',
          'a0 one .',
          'INPUT_REQUIRED',
          'COMPLETED',
        ]);
        expect(hook.received.at(-1)!.at).toBeGreaterThan(at);
      } finally {
        await other.close();
      }
    });

    it('a message that is answered by a Message leaves no webhook behind', async () => {
      await peer().ok('SendMessage', M('message', inline()));
      await sleep(50);
      expect(hook.received).toEqual([]);
    });
  });
});
