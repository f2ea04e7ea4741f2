import { isTerminal } from 'nest-a2a';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Peer } from '../conformance/support/peer.js';
import { show, stateOf } from '../conformance/support/show.js';
import { describeProcesses } from '../replicas/support/replicas.js';
import { M } from '../support/message.js';
import type { FixtureProcess } from '../support/processes.js';
import { stateIn, taskIdIn, Webhook, type Received } from '../support/webhook.js';

const ENVIRONMENT = {
  CAPABILITIES: 'streaming,push',
  PUSH_ALLOW: '127.0.0.1',
  PUSH_BACKOFF_MS: '50',
  PUSH_LEASE_TTL_MS: '1500',
  PUSH_LEASE_RENEW_MS: '400',
  PUSH_SWEEP_MS: '300',
  LEASE_TTL_MS: '1500',
  LEASE_RENEW_MS: '400',
  SWEEP_MS: '300',
  CANCEL_GRACE_MS: '500',
};

let hook: Webhook;
beforeEach(async () => {
  hook = await Webhook.open();
});
afterEach(() => hook.close());

const peerOf = ({ base }: FixtureProcess) => new Peer(`${base}/a2a`, 'JSONRPC');
const inline = () => ({
  configuration: { taskPushNotificationConfig: { url: hook.url(), token: 's3cr3t-token' } },
});
const told = (received: readonly Received[] = hook.delivered()) => show(received.map(({ event }) => event));

/** Sends with a webhook, and waits for the task's existence only. */
async function start(peer: Peer, text: string): Promise<string> {
  const { configuration } = inline();
  const request = { ...M(text), configuration: { ...configuration, returnImmediately: true } };
  return (await peer.ok('SendMessage', request)).task.id;
}

describe.each([
  ['PostgreSQL and Redis', { STORE: 'postgres', QUEUE: 'redis' }],
  ['PostgreSQL', { STORE: 'postgres', QUEUE: 'typeorm' }],
  ['SQLite', { STORE: 'sqlite', QUEUE: 'typeorm' }],
  ['MariaDB', { STORE: 'mariadb', QUEUE: 'typeorm' }],
] as const)('%s', (name, kind) => {
  describeProcesses(`webhooks over ${name}`, kind, ENVIRONMENT, (processes) => {
    let a: FixtureProcess;
    let b: FixtureProcess;
    beforeAll(async () => {
      [a, b] = await Promise.all([processes().start(), processes().start()]);
    }, 60_000);

    it('E07: a cancel on another replica is told, and one end only', async () => {
      const id = await start(peerOf(a), 'slow:50');
      await hook.until(() => hook.delivered().length >= 3);
      await peerOf(b).ok('CancelTask', { id });
      await hook.untilEnd();
      const story = told();
      expect(story.slice(0, 2)).toEqual(['Task SUBMITTED', 'WORKING']);
      expect(story.at(-1)).toBe('CANCELED');
    });

    it('F09: whichever replica tells it, a notification has the trace context of its message', async () => {
      const traceparent = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
      const traced = (process: FixtureProcess, digit: string) =>
        peerOf(process).with({ traceparent: traceparent(digit), tracestate: `vendor=${digit}` });
      const task = await traced(a, '1').send('park', inline());
      await traced(b, '2').reply(task, 'finish');
      await hook.untilEnd();
      const traces = hook.delivered().map(({ headers }) => [headers['traceparent'], headers['tracestate']]);
      const [first, second] = ['1', '2'].map((digit) => [traceparent(digit), `vendor=${digit}`]);
      expect(traces).toEqual([first, first, second]);
    });

    it('C02: an end and a cancel at once: one end is told, and it is the one that is stored', async () => {
      const ids = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const id = await start(peerOf(a), 'hold:60');
          await peerOf(b)
            .call('CancelTask', { id })
            .catch(() => {});
          return id;
        }),
      );
      const ends = (id: string) =>
        hook.delivered().filter(({ event }) => taskIdIn(event) === id && isTerminal(stateIn(event)!));
      await hook.until(() => ids.every((id) => ends(id).length > 0));
      for (const id of ids) {
        const task = await peerOf(b).get(id);
        expect(ends(id).map(({ event }) => stateIn(event))).toEqual([task.status.state]);
      }
    });

    it('a webhook that another replica deletes is told nothing more', async () => {
      const task = await peerOf(a).send('park', inline());
      await hook.until(() => hook.delivered().length === 2);
      const { configs } = await peerOf(b).ok('ListTaskPushNotificationConfigs', { taskId: task.id });
      await peerOf(b).ok('DeleteTaskPushNotificationConfig', { taskId: task.id, id: configs[0].id });
      const other = await Webhook.open();
      await peerOf(b).ok('CreateTaskPushNotificationConfig', { taskId: task.id, url: other.url() });
      await peerOf(b).reply(task, 'finish');
      await other.untilEnd();
      expect(hook.received).toHaveLength(2);
      await other.close();
    });

    it('E09: retries go on after the process is gone, under the same id', async () => {
      hook.answer(() => 500);
      await peerOf(a).send('quick', inline());
      await hook.until(() => hook.received.length >= 2);
      await Promise.all([a.kill(), b.kill()]);
      const { id } = hook.received[0]!;
      hook.answer(() => 200);
      a = await processes().start();
      await hook.untilEnd();
      expect(told()).toEqual(['Task SUBMITTED', 'WORKING', 'a0 Hello, quick .', 'COMPLETED']);
      expect(hook.delivered()[0]!.id).toBe(id);
      expect(hook.received.filter((request) => request.id === id).length).toBeGreaterThanOrEqual(3);
    });

    it('a deploy hands webhooks over at once', async () => {
      const task = await peerOf(a).send('park', inline());
      await hook.until(() => hook.delivered().length === 2);
      b = await processes().start({ PUSH_LEASE_TTL_MS: '60000' });
      await a.stop();
      expect(stateOf(await peerOf(b).reply(task, 'finish'))).toBe('COMPLETED');
      await hook.untilEnd();
      expect(told()).toEqual(['Task SUBMITTED', 'INPUT_REQUIRED', 'COMPLETED']);
    });
  });
});

describeProcesses(
  'webhooks of runs on workers',
  { STORE: 'postgres', QUEUE: 'redis', RUNNER: 'bullmq' },
  ENVIRONMENT,
  (processes) => {
    it('are told by workers, too, where the others do not', async () => {
      const [web] = await Promise.all([
        processes().start({ ROLE: 'web', PUSH_SEND: 'off' }),
        processes().start({ ROLE: 'worker' }),
      ]);
      await peerOf(web).send('quick', inline());
      await hook.untilEnd();
      expect(told()).toEqual(['Task SUBMITTED', 'WORKING', 'a0 Hello, quick .', 'COMPLETED']);
    }, 60_000);
  },
);
