import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { a2aCall, type Task } from 'nest-a2a';
import { tap } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStreams, PLATFORMS, type Running, scripted, start, stop } from './apps.js';
import {
  BINDINGS,
  chunks,
  listTasks,
  read,
  sendStream,
  slowChunks,
  subscribe,
  taskIdOf,
  untilEnded,
} from './calls.js';

describe.concurrent.each(PLATFORMS)('clients that leave, on %s', (platform) => {
  let running: Running;
  beforeAll(async () => void (running = await start(platform, scripted())));
  afterAll(() => stop(running));

  it.each(BINDINGS)(
    'A01 A02: a stream that is left changes nothing for its task, over %s',
    async (binding) => {
      const { base } = running;
      const working = async () => ids(await listTasks(base, '?status=TASK_STATE_WORKING'));
      const id = taskIdOf(await read(await sendStream(binding, base, 'slow:10'), 1));
      await vi.waitFor(async () => expect(await working()).toContain(id));
      const { status, artifacts } = await untilEnded(base, id, 3_000);
      expect(status.state).toBe('TASK_STATE_COMPLETED');
      expect(artifacts).toHaveLength(1);
      expect(artifacts![0]!.parts.map((part) => part.text)).toEqual(slowChunks(10));
      expect(await working()).not.toContain(id);
      expect(ids(await listTasks(base, '?status=TASK_STATE_COMPLETED'))).toContain(id);
    },
  );

  it('A02: a subscriber that leaves changes nothing for the streams that stay', async () => {
    const { app, base } = running;
    const sent = await sendStream('JSON-RPC', base, 'slow:6');
    const story = read(sent);
    const [task] = await listTasks(base, '?status=TASK_STATE_WORKING&pageSize=100').then((tasks) =>
      tasks.filter(({ history }) => history?.[0]?.parts[0]?.text === 'slow:6'),
    );
    expect(task).toBeDefined();
    for (const binding of BINDINGS) await read(await subscribe(binding, base, task!.id), 2);
    expect(chunks(await story)).toEqual(slowChunks(6));
    await vi.waitFor(() => expect(openStreams(app)).toBe(0));
  });
});

/** Takes 100 ms over streams, and tells when it has begun. */
class SlowGuard implements CanActivate {
  begin: () => void = () => {};
  readonly begun = new Promise<void>((resolve) => (this.begin = resolve));

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (a2aCall(context)?.operation !== 'SendStreamingMessage') return true;
    this.begin();
    await sleep(100);
    return true;
  }
}

/** As applications have them for logs and metrics. */
class Observer implements NestInterceptor {
  seen = 0;

  constructor(private readonly ms: number) {}

  async intercept(_context: ExecutionContext, next: CallHandler) {
    if (this.ms > 0) await sleep(this.ms);
    return next.handle().pipe(tap({ finalize: () => (this.seen += 1) }));
  }
}

describe.concurrent.each(PLATFORMS)('clients that leave before their stream opens, on %s', (platform) => {
  const startWith = async (guard: SlowGuard, interceptor?: Observer) =>
    start(
      platform,
      scripted({}, [
        { provide: APP_GUARD, useValue: guard },
        ...(interceptor ? [{ provide: APP_INTERCEPTOR, useValue: interceptor }] : []),
      ]),
    );

  it.each([
    ['B01', 'without interceptors', undefined],
    ['B02', 'with an interceptor that observes', new Observer(0)],
    ['B02', 'with an interceptor that takes its time', new Observer(30)],
  ])('%s: nothing is left of them, and their task runs to its end, %s', async (_case, _how, interceptor) => {
    for (const binding of BINDINGS) {
      const guard = new SlowGuard();
      const running = await startWith(guard, interceptor);
      const { app, base } = running;
      const leaving = new AbortController();
      const left = expect(sendStream(binding, base, 'slow:3', {}, {}, leaving.signal)).rejects.toThrow(
        'aborted',
      );
      await guard.begun;
      await sleep(20);
      leaving.abort();
      await left;
      const tasks = await vi.waitFor(async () => {
        const found = await listTasks(base);
        expect(found).toHaveLength(1);
        return found;
      });
      await sleep(400);
      expect(openStreams(app)).toBe(0);
      const task = await untilEnded(base, tasks[0]!.id, 3_000);
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(task.artifacts![0]!.parts.map((part) => part.text)).toEqual(slowChunks(3));
      if (interceptor) expect(interceptor.seen).toBeGreaterThan(0);
      await stop(running);
    }
  });
});

function ids(tasks: readonly Task[]): string[] {
  return tasks.map(({ id }) => id);
}
