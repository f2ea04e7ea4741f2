import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  A2AModuleOptions,
  Delivery,
  DeliveryClaim,
  DeliveryState,
  PushNotificationEvent,
  PushNotificationMonitor,
  RequestContext,
} from 'nest-a2a';
import { AgentExecutor, MemoryPushNotificationConfigStore, Skill } from 'nest-a2a';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogBook, serveApp, type ServedApp } from '../conformance/support/app.js';
import { show } from '../conformance/support/show.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';
import { stateIn, Webhook, type Answerer } from '../support/webhook.js';

@Skill({ id: 'work', name: 'Work', description: 'Works', tags: ['test'] })
@AgentExecutor({
  name: 'Worker',
  description: 'Works',
  version: '1',
  capabilities: { pushNotifications: true },
})
class Worker {
  async execute({ updater, userInput }: RequestContext): Promise<void> {
    await updater.startWork();
    if (userInput === 'park') return updater.requiresInput();
    await updater.complete();
  }
}

const STORY = ['Task SUBMITTED', 'WORKING', 'COMPLETED'];
const BACKOFF_MS = 40;
const SECRET = 's3cr3t-of-a-webhook';
allowPlainSecret('store', `/${SECRET}`, 'URLs are not sealed');

describe('E09: webhooks that fail', () => {
  let served: ServedApp | undefined;
  let hook: Webhook;
  let events: PushNotificationEvent[];
  const logs = new LogBook();

  beforeEach(async () => {
    events = [];
    logs.lines.length = 0;
    hook = await Webhook.open();
  });
  afterEach(async () => {
    await served?.close();
    served = undefined;
    await hook.close();
  });

  /** An application with its webhooks in memory; `answerer` is what the receiver does. */
  async function serve(
    answerer: Answerer,
    push: A2AModuleOptions['push'] = {},
    options: A2AModuleOptions = {},
  ): Promise<ServedApp> {
    hook.answer(answerer);
    const monitor: PushNotificationMonitor = { record: (event) => void events.push(event) };
    served = await serveApp('fastify', {
      agents: [Worker],
      logger: logs,
      options: {
        urls: { allow: [`127.0.0.1:${hook.port}`] },
        push: { backoffMs: BACKOFF_MS, ...push },
        secrets: { keys: [{ id: 'k', key: randomBytes(32) }] },
        pushNotificationMonitor: monitor,
        ...options,
      },
    });
    return served;
  }

  const send = (app: ServedApp, text = 'work', url = hook.url(`/${SECRET}`)) =>
    app.peer().send(text, {
      configuration: {
        taskPushNotificationConfig: {
          url,
          token: SECRET,
          authentication: { scheme: 'Bearer', credentials: SECRET },
        },
      },
    });

  const untilGivenUp = () =>
    vi.waitFor(() => expect(events.at(-1)?.kind).toBe('gave-up'), { timeout: 5_000, interval: 5 });
  const told = () => show(hook.delivered().map(({ event }) => event));

  it('500, 500, 200: delivered the third time, later each time, under one id', async () => {
    await send(await serve((_request, index) => (index < 2 ? 500 : 200)));
    await hook.untilEnd();
    expect(told()).toEqual(STORY);
    const [first, second, third, next] = hook.received;
    expect(new Set([first!.id, second!.id, third!.id]).size).toBe(1);
    expect(new Set([first!.body, second!.body, third!.body]).size).toBe(1);
    expect(next!.id).not.toBe(first!.id);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(BACKOFF_MS * 0.75 - 2);
    expect(third!.at - second!.at).toBeGreaterThanOrEqual(BACKOFF_MS * 1.5 - 2);
    await vi.waitFor(() =>
      expect(events.map(({ kind, attempts }) => `${kind} ${attempts}`)).toEqual([
        'failed 1',
        'failed 2',
        'delivered 3',
        'delivered 1',
        'delivered 1',
      ]),
    );
  });

  it.each([
    ['410', 1],
    ['401', 3],
    ['404', 3],
    ['302', 3],
  ])('%s: no more after %i', async (status, times) => {
    const headers = { location: hook.url('/elsewhere') };
    await send(await serve(() => ({ status: Number(status), headers })));
    await untilGivenUp();
    await sleep(3 * BACKOFF_MS);
    expect(hook.received).toHaveLength(times);
    expect(hook.received.every(({ path }) => path === `/${SECRET}`)).toBe(true);
    expect(events.at(-1)).toMatchObject({ kind: 'gave-up', attempts: times, status: Number(status) });
  });

  it.each(['408', '425', '429', '503'])('%s is asked again for longer', async (status) => {
    await send(await serve((_request, index) => (index < 4 ? Number(status) : 200), { backoffMs: 1 }));
    await hook.untilEnd();
    expect(hook.received).toHaveLength(4 + STORY.length);
  });

  it('delivers what was claimed by a claim whose answer was lost', async () => {
    let lost = false;
    class LosingStore extends MemoryPushNotificationConfigStore {
      override async claim(claim: DeliveryClaim): Promise<readonly Delivery[]> {
        const taken = await super.claim(claim);
        if (lost || taken.length === 0) return taken;
        lost = true;
        throw new Error('the answer was lost');
      }
    }
    const store = new LosingStore();
    await send(await serve(() => 200, { sweepMs: 20 }, { pushNotificationConfigStore: store }));
    await hook.untilEnd();
    expect(lost).toBe(true);
    expect(told()).toEqual(STORY);
  });

  it('one that is taken over after failures is tried at once, and its pauses go on from there', async () => {
    class FailedBefore extends MemoryPushNotificationConfigStore {
      override async claim(claim: DeliveryClaim): Promise<readonly Delivery[]> {
        return (await super.claim(claim)).map((delivery) => ({ ...delivery, failures: 3 }));
      }
    }
    const minute = 60_000;
    const store = new FailedBefore();
    await send(await serve(() => 500, { backoffMs: minute }, { pushNotificationConfigStore: store }));
    await vi.waitFor(() => expect(events).toHaveLength(1));
    expect(events[0]).toMatchObject({ kind: 'failed', attempts: 4 });
    expect(events[0]!.retryInMs).toBeGreaterThanOrEqual(5 * minute * 0.75);
  });

  it('gives up after so many attempts, says so once and without secrets, and others go on', async () => {
    const app = await serve(({ path }) => (path === `/${SECRET}` ? 500 : 200), {
      maxAttempts: 4,
      backoffMs: 2,
    });
    await send(app);
    await untilGivenUp();
    expect(hook.received).toHaveLength(4);
    await send(app, 'work', hook.url('/fine'));
    await hook.untilEnd('/fine');
    expect(JSON.stringify(events)).not.toContain(SECRET);
    expect(events.filter(({ kind }) => kind === 'gave-up')).toEqual([
      {
        kind: 'gave-up',
        taskId: expect.any(String),
        configId: expect.any(String),
        notificationId: hook.received[0]!.id,
        origin: `http://127.0.0.1:${hook.port}`,
        attempts: 4,
        status: 500,
        reason: 'it answered 500',
      },
    ]);
  });

  it('the log tells of a webhook that is given up, in one line without secrets', async () => {
    const app = await serve(() => 410, {}, { pushNotificationMonitor: undefined });
    await send(app);
    await hook.until(() => logs.lines.length > 0 || hook.received.length > 0);
    await sleep(20);
    expect(logs.lines.filter((line) => line.includes('gave-up'))).toHaveLength(1);
    expect(logs.text).not.toContain(SECRET);
    expect(logs.text).not.toContain('\n');
  });

  it.each([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
  ])('Retry-After in %s is obeyed', async (_name, value) => {
    await send(
      await serve((_request, index) =>
        index === 0 ? { status: 503, headers: { 'retry-after': value() } } : 200,
      ),
    );
    await hook.untilEnd();
    const [first, second] = hook.received;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(950);
  });

  it('Retry-After is obeyed up to a limit', async () => {
    const answerer: Answerer = (_request, index) =>
      index === 0 ? { status: 429, headers: { 'retry-after': '3600' } } : 200;
    await send(await serve(answerer, { retryAfterMaxMs: 100 }));
    await hook.untilEnd();
    expect(events[0]).toMatchObject({ kind: 'failed', retryInMs: 100 });
  });

  it('one that does not answer is left after the timeout', async () => {
    const never = new Promise<number>(() => {});
    await send(await serve((_request, index) => (index === 0 ? never : 200), { timeoutMs: 100 }));
    await hook.untilEnd();
    expect(told()).toEqual(STORY);
    expect(events[0]).toMatchObject({ kind: 'failed', reason: expect.stringContaining('100 ms') });
  });

  it('one that cannot be reached is asked again', async () => {
    const app = await serve(() => 200, { maxAttempts: 2, backoffMs: 1 }, { urls: { allow: ['127.0.0.1'] } });
    await send(app, 'work', 'http://127.0.0.1:1/');
    await untilGivenUp();
    expect(events.map(({ kind, status }) => [kind, status])).toEqual([
      ['failed', undefined],
      ['gave-up', undefined],
    ]);
  });

  it('E02: a name that leads to a private address by the time it is used is not asked', async () => {
    const addresses = ['93.184.215.14', '127.0.0.1'];
    const lookup = async () => [{ address: addresses.shift() ?? '127.0.0.1', family: 4 }];
    const app = await serve(() => 200, { maxAttempts: 3, backoffMs: 1 }, { urls: { lookup } });
    await send(app, 'work', `http://rebinding.example.com:${hook.port}/`);
    await untilGivenUp();
    expect(hook.received).toEqual([]);
    expect(events.at(-1)).toMatchObject({ attempts: 3, reason: expect.stringContaining('not public') });
  });

  it('a slow receiver delays no other, however many wait for it', async () => {
    const slow = await Webhook.open(() => new Promise<number>(() => {}));
    try {
      const app = await serve(
        () => 200,
        { concurrency: 6, concurrencyPerOrigin: 2 },
        { urls: { allow: ['127.0.0.1'] } },
      );
      for (let i = 0; i < 20; i += 1) await send(app, 'work', slow.url());
      await send(app, 'work', hook.url('/fast'));
      await hook.untilEnd('/fast', 2_000);
      expect(slow.received).toHaveLength(2);
    } finally {
      await slow.close();
    }
  });

  it('holds no more for one receiver than it can soon send, and takes the rest as it goes', async () => {
    const TASKS = 450;
    const held = new Set<string>();
    let most = 0;
    class Watched extends MemoryPushNotificationConfigStore {
      override async claim(claim: DeliveryClaim): Promise<readonly Delivery[]> {
        const claimed = await super.claim(claim);
        for (const { config } of claimed) held.add(config.taskId);
        most = Math.max(most, held.size);
        return claimed;
      }
      override async note(delivery: Delivery, state: DeliveryState): Promise<boolean> {
        if (state.status !== 'open') held.delete(delivery.config.taskId);
        return super.note(delivery, state);
      }
    }
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const app = await serve(
      () => opened.then(() => 200),
      { timeoutMs: 60_000 },
      { pushNotificationConfigStore: Watched },
    );
    await Promise.all(Array.from({ length: TASKS }, (_, i) => send(app, 'work', hook.url(`/${i}`))));
    expect(held.size).toBeLessThan(TASKS - 100);
    open();
    const ended = () => hook.delivered().filter(({ event }) => stateIn(event) === 'TASK_STATE_COMPLETED');
    await hook.until(() => ended().length === TASKS);
    expect(new Set(ended().map(({ path }) => path)).size).toBe(TASKS);
    expect(most).toBeLessThan(TASKS - 100);
  });

  it('at shutdown tells also what it had not taken yet', async () => {
    const TASKS = 300;
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const app = await serve(() => opened.then(() => 200), { timeoutMs: 60_000 });
    await Promise.all(Array.from({ length: TASKS }, (_, i) => send(app, 'work', hook.url(`/${i}`))));
    const closing = app.close();
    served = undefined;
    open();
    await closing;
    const ended = hook.delivered().filter(({ event }) => stateIn(event) === 'TASK_STATE_COMPLETED');
    expect(ended).toHaveLength(TASKS);
  });

  it('a webhook that is mended by a new config of the same id is told what it missed', async () => {
    const app = await serve(({ path }) => (path === '/wrong' ? 404 : 200), { backoffMs: 1 });
    const task = await app.peer().send('park', {
      configuration: { taskPushNotificationConfig: { id: 'mine', url: hook.url('/wrong') } },
    });
    await untilGivenUp();
    await app.peer().ok('CreateTaskPushNotificationConfig', {
      taskId: task.id,
      id: 'mine',
      url: hook.url('/right'),
    });
    await app.peer().reply(task, 'finish');
    await hook.untilEnd('/right');
    expect(told()[0]).toBe('Task SUBMITTED');
  });

  it('at shutdown what is under way ends, and the process does not wait for what fails', async () => {
    const app = await serve(async ({ path }) => {
      await sleep(200);
      return path === '/fails' ? 500 : 200;
    });
    await send(app, 'work', hook.url('/slow'));
    await send(app, 'work', hook.url('/fails'));
    await hook.until(() => hook.received.length > 0);
    const before = Date.now();
    await app.close();
    served = undefined;
    expect(Date.now() - before).toBeLessThan(2_500);
    expect(show(hook.delivered('/slow').map(({ event }) => event))).toEqual(STORY);
    expect(hook.received.every(({ status }) => status !== undefined)).toBe(true);
  });
});
