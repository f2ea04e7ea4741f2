import { Controller, Inject, Injectable, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import {
  MemoryNotificationLedger,
  NotificationLedger,
  OnPushNotification,
  UnavailableError,
  type NotificationClaim,
  type NotificationDelivery,
  type StreamResponse,
} from 'nest-a2a';
import { describe, expect, it } from 'vitest';
import { PLATFORMS, serve } from '../docs/serve.js';
import { Inbox, notify, PATH, reasonOf, receiver, statusUpdate, TOKEN } from './harness.js';

const TASK = { task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_SUBMITTED' } } };
const MESSAGE = { message: { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } };
const ARTIFACT = {
  artifactUpdate: { taskId: 't2', contextId: 'c1', artifact: { artifactId: 'a', parts: [{ text: 'x' }] } },
};

describe.each(PLATFORMS)('a webhook on %s', (platform) => {
  it('hands every kind of notification to the handlers, with its facts', async () => {
    await using served = await serve(platform, receiver());
    const { arrived } = served.app.get(Inbox);
    for (const [i, event] of [TASK, MESSAGE, statusUpdate(), ARTIFACT].entries()) {
      const answer = await notify(served.base, event, { 'x-a2a-notification-id': `n${i}` });
      expect([answer.status, answer.body]).toEqual([204, undefined]);
      expect(arrived[i]?.event).toEqual(event);
    }
    expect(arrived.map(({ delivery }) => delivery)).toEqual([
      { id: 'n0', token: TOKEN, kind: 'task', taskId: 't1', contextId: 'c1' },
      { id: 'n1', token: TOKEN, kind: 'message' },
      { id: 'n2', token: TOKEN, kind: 'statusUpdate', taskId: 't1', contextId: 'c1' },
      { id: 'n3', token: TOKEN, kind: 'artifactUpdate', taskId: 't2', contextId: 'c1' },
    ]);
  });

  it('finds handlers in providers and controllers, and chooses by their filters', async () => {
    const seen: string[] = [];
    @Injectable()
    class Several {
      @OnPushNotification({ kind: 'task' })
      @OnPushNotification({ kind: ['artifactUpdate'], taskId: 't2' })
      tasksAndFiles(_event: StreamResponse, { kind }: NotificationDelivery) {
        seen.push(`several ${kind}`);
      }

      @OnPushNotification({ taskId: (id) => id === 't9' })
      never() {
        seen.push('never');
      }
    }
    @Controller('own')
    class Own {
      @OnPushNotification({ kind: 'statusUpdate' })
      onStatus({ statusUpdate: update }: StreamResponse) {
        seen.push(`own ${update!.status.state}`);
      }
    }
    const module = receiver(undefined, {
      controllers: [Own],
      providers: [Several, { provide: 'ALIAS', useExisting: Several }],
    });
    await using served = await serve(platform, module);
    for (const [i, event] of [TASK, MESSAGE, statusUpdate(), ARTIFACT].entries())
      expect((await notify(served.base, event, { 'x-a2a-notification-id': `n${i}` })).status).toBe(204);
    expect(seen).toEqual(['several task', 'own TASK_STATE_WORKING', 'several artifactUpdate']);
  });

  it('makes handlers of the request scope for each notification', async () => {
    const made: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      constructor(@Inject(REQUEST) private readonly request: { headers: Record<string, string> }) {}

      @OnPushNotification()
      onAny() {
        made.push(this.request.headers['x-a2a-notification-id']);
      }
    }
    await using served = await serve(platform, receiver(undefined, { providers: [PerRequest] }));
    for (const id of ['a', 'b']) await notify(served.base, TASK, { 'x-a2a-notification-id': id });
    expect(made).toEqual(['a', 'b']);
  });

  it('answers when the last handler is done', async () => {
    await using served = await serve(platform, receiver());
    const inbox = served.app.get(Inbox);
    const { begun, resume } = inbox.pause();
    let answered = false;
    const answer = notify(served.base).finally(() => (answered = true));
    await begun;
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    resume();
    expect((await answer).status).toBe(204);
  });

  it('answers 500 when a handler fails, says nothing of why, and takes the repetition', async () => {
    const others: unknown[] = [];
    @Injectable()
    class Other {
      @OnPushNotification()
      onAny() {
        others.push(1);
      }
    }
    await using served = await serve(platform, receiver(undefined, { providers: [Other] }));
    const inbox = served.app.get(Inbox);
    inbox.work = () => {
      throw new Error('the database at 10.0.0.1 is down');
    };
    const failed = await notify(served.base);
    expect([failed.status, reasonOf(failed)]).toEqual([500, 'INTERNAL']);
    expect(JSON.stringify(failed.body)).not.toContain('10.0.0.1');
    inbox.work = () => {};
    expect((await notify(served.base)).status).toBe(204);
    expect([inbox.arrived.length, others.length]).toEqual([2, 2]);
  });

  it('passes on when to come back', async () => {
    await using served = await serve(platform, receiver());
    served.app.get(Inbox).work = () => {
      throw new UnavailableError('Later', { retryAfterSeconds: 7 });
    };
    const answer = await notify(served.base);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
  });
});

describe.each(PLATFORMS)('a notification that is repeated on %s', (platform) => {
  it('is answered as before, and not handled again', async () => {
    await using served = await serve(platform, receiver());
    const inbox = served.app.get(Inbox);
    for (const id of ['n1', 'n1', 'n2', 'n1', 'n2'])
      expect((await notify(served.base, statusUpdate(), { 'x-a2a-notification-id': id })).status).toBe(204);
    expect(inbox.ids).toEqual(['n1', 'n2']);
    await notify(served.base, statusUpdate('t2'));
    expect(inbox.ids).toEqual(['n1', 'n2', 'n1']);
  });

  it('is sent away while it is being handled', async () => {
    await using served = await serve(platform, receiver());
    const inbox = served.app.get(Inbox);
    const { begun, resume } = inbox.pause();
    const first = notify(served.base);
    await begun;
    const others = await Promise.all(Array.from({ length: 10 }, () => notify(served.base)));
    for (const other of others)
      expect([other.status, reasonOf(other), other.headers.get('retry-after')]).toEqual([
        503,
        'UNAVAILABLE',
        '1',
      ]);
    resume();
    expect((await first).status).toBe(204);
    expect((await notify(served.base)).status).toBe(204);
    expect(inbox.arrived).toHaveLength(1);
  });

  it('is done, too, when its sender did not wait for the answer', async () => {
    await using served = await serve(platform, receiver());
    const inbox = served.app.get(Inbox);
    const { begun, resume } = inbox.pause();
    const impatient = new AbortController();
    const first = notify(served.base, statusUpdate(), {}, PATH, impatient.signal);
    await begun;
    impatient.abort();
    await expect(first).rejects.toThrow();
    expect((await notify(served.base)).status).toBe(503);
    resume();
    await expect.poll(async () => (await notify(served.base)).status).toBe(204);
    expect(inbox.arrived).toHaveLength(1);
  });

  it('is handled each time where it has no id', async () => {
    await using served = await serve(platform, receiver());
    for (let i = 0; i < 2; i++)
      await notify(served.base, statusUpdate(), { 'x-a2a-notification-id': undefined });
    expect(served.app.get(Inbox).arrived).toHaveLength(2);
  });

  it('is recognised by the ledger of the application, across replicas', async () => {
    const ledger = new MemoryNotificationLedger();
    await using one = await serve(platform, receiver({ token: TOKEN, ledger }));
    await using other = await serve(platform, receiver({ token: TOKEN, ledger }));
    expect((await notify(one.base)).status).toBe(204);
    expect((await notify(other.base)).status).toBe(204);
    expect([one.app.get(Inbox).ids, other.app.get(Inbox).ids]).toEqual([['n1'], []]);
    expect(one.app.get(NotificationLedger, { strict: false })).toBe(ledger);
  });

  it('waits for a ledger that fails, and is done where only remembering failed', async () => {
    let down: 'claim' | 'complete' | undefined = 'claim';
    class Failing extends MemoryNotificationLedger {
      override async claim(key: string, claimMs: number): Promise<NotificationClaim> {
        if (down === 'claim') throw new Error('no redis');
        return super.claim(key, claimMs);
      }

      override async complete(key: string, keepMs: number): Promise<void> {
        if (down === 'complete') throw new Error('no redis');
        return super.complete(key, keepMs);
      }
    }
    await using served = await serve(platform, receiver({ token: TOKEN, ledger: Failing }));
    const inbox = served.app.get(Inbox);
    const refused = await notify(served.base);
    expect([refused.status, refused.headers.get('retry-after'), inbox.ids]).toEqual([503, '5', []]);
    expect(JSON.stringify(refused.body)).not.toContain('redis');
    down = 'complete';
    expect((await notify(served.base)).status).toBe(204);
    expect(inbox.ids).toEqual(['n1']);
  });
});
