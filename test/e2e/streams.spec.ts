import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Scope } from '@nestjs/common';
import compression from 'compression';
import { A2A_OPTIONS, A2AModule, AgentExecutor, type LogRecord, type ResolvedOptions } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryQueueManager } from '../../lib/events/memory-queue-manager.js';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { rest } from '../support/rest.js';
import { rpc } from '../support/rpc.js';
import { type SseFrame, sse } from '../support/sse.js';
import { M } from '../support/message.js';
import { PLATFORMS, scripted, start, stop } from './apps.js';
import {
  BINDINGS,
  chunks,
  events,
  getTask,
  read,
  send,
  sendStream,
  short,
  startTask,
  subscribe,
  taskIdOf,
  untilEnded,
  word,
} from './calls.js';

const KEEP_ALIVE_MS = 300;
const SECRET = /hunter2|srv|password|\bat \w+ \(/;

async function frames(response: Response, n = Infinity): Promise<SseFrame[]> {
  const taken: SseFrame[] = [];
  for await (const frame of sse(response)) if (taken.push(frame) >= n) break;
  return taken;
}

describe.concurrent.each(PLATFORMS)('streams on %s', (platform) => {
  let base: string;
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: platform, KEEP_ALIVE_MS: String(KEEP_ALIVE_MS) });
    base = fixture.base;
  });
  afterAll(() => stop(fixture));

  it('A09: a silent stream is kept alive by comments, and nothing is invented', async () => {
    const all = await frames(await sendStream('JSON-RPC', base, 'silent:3'));
    const comments = all.filter(({ comment }) => comment !== undefined);
    const data = all.filter((frame) => frame.data !== undefined);
    expect(comments.length).toBeGreaterThanOrEqual(4);
    expect(comments.length + data.length).toBe(all.length);
    expect(data.map(({ data: { result } }) => word({ event: result }))).toEqual([
      'Task SUBMITTED',
      'WORKING',
      'COMPLETED',
    ]);
    const gaps = all.slice(1).map(({ at }, i) => at - all[i]!.at);
    expect(Math.max(...gaps)).toBeLessThan(2 * KEEP_ALIVE_MS);
  });

  it('A09: the task completes although its connection was dropped in the silence', async () => {
    const dropped = await frames(await sendStream('REST', base, 'silent:2'), 4);
    expect(dropped.at(-1)!.comment).toBeDefined();
    const task = await untilEnded(base, dropped[0]!.data.task.id, 3_000);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it.each(BINDINGS)('A09: a resumed stream answers at once and is kept alive, over %s', async (binding) => {
    const { id } = await startTask(base, 'silent:2');
    await sleep(100);
    const [opening] = await read(await subscribe(binding, base, id), 1);
    const begun = performance.now();
    const response = await subscribe(binding, base, id, opening!.id);
    expect(performance.now() - begun).toBeLessThan(1_000);
    const all = await frames(response);
    expect(all.filter(({ comment }) => comment !== undefined).length).toBeGreaterThanOrEqual(3);
    expect(all.filter((frame) => frame.data !== undefined)).toHaveLength(1);
  });

  it('A09: comments come every 15 to 30 s unless the application says otherwise', async () => {
    const plain = await startFixture({ PORT: '0', ADAPTER: platform });
    const { transport } = plain.app.get<ResolvedOptions>(A2A_OPTIONS);
    expect(transport.keepAliveMs).toBeGreaterThanOrEqual(15_000);
    expect(transport.keepAliveMs).toBeLessThanOrEqual(30_000);
    await stop(plain);
  });

  it.each(BINDINGS)('A10: an agent that throws at once fails its task, over %s', async (binding) => {
    const response = await sendStream(binding, base, 'boom');
    expect(response.status).toBe(200);
    const story = await read(response);
    expect(story[0]!.event.task).toBeDefined();
    expect(word(story.at(-1)!)).toMatch(/FAILED$/);
    expect(JSON.stringify(story)).not.toMatch(SECRET);
    expect((await getTask(base, taskIdOf(story))).status.state).toBe('TASK_STATE_FAILED');
  });

  it('A12: an agent that throws later ends its stream with FAILED', async () => {
    for (const binding of BINDINGS) {
      const all = await frames(await sendStream(binding, base, 'boom-late'));
      expect(all.every(({ event }) => event === undefined)).toBe(true);
      const { data } = all.at(-1)!;
      const { statusUpdate } = binding === 'REST' ? data : data.result;
      expect(statusUpdate.status.state).toBe('TASK_STATE_FAILED');
      expect(JSON.stringify(all)).not.toMatch(SECRET);
      if (binding === 'JSON-RPC') expect(new Set(all.map((frame) => frame.data.id)).size).toBe(1);
    }
  });

  it.each(BINDINGS)('A13: a stream closes at the pause that it delivers, over %s', async (binding) => {
    const story = await read(await sendStream(binding, base, 'park'));
    expect(story.map(word)).toEqual(['Task SUBMITTED', 'INPUT_REQUIRED']);
    const message = { taskId: taskIdOf(story) };
    const next = await read(await sendStream(binding, base, 'more', { message }));
    // The opening Task may tell the beginning of the answer already, the pause it never does.
    expect(chunks(next)).toEqual(['more']);
    expect(word(next.at(-1)!)).toBe('INPUT_REQUIRED');
    const last = await read(await sendStream(binding, base, 'finish', { message }));
    expect(word(last.at(-1)!)).toMatch(/COMPLETED$/);
  });

  it.each(BINDINGS)('A13: a stream stays open while its user signs in, over %s', async (binding) => {
    const story = await read(await sendStream(binding, base, 'auth'));
    expect(story.map(word)).toEqual(['Task SUBMITTED', 'AUTH_REQUIRED', 'WORKING', 'COMPLETED']);
  });

  it('A13: a blocking send is answered at the pause, whichever it is', async () => {
    expect(short((await send(base, 'park')).status.state)).toBe('INPUT_REQUIRED');
    const begun = performance.now();
    expect(short((await send(base, 'auth')).status.state)).toBe('AUTH_REQUIRED');
    expect(performance.now() - begun).toBeLessThan(1_500);
  });
});

describe.concurrent.each(PLATFORMS)('failures of the application itself, on %s', (platform) => {
  const CARD = { name: 'Broken', description: 'Cannot be made', version: '1' };

  @Injectable({ scope: Scope.REQUEST })
  @AgentExecutor(CARD)
  class BrokenAgent {
    constructor() {
      throw new Error('db password=hunter2 at /srv/secret');
    }
    execute(): void {}
  }

  class BrokenModule {}

  it('A10: an executor that cannot be made fails its task', async () => {
    const running = await start(platform, {
      module: BrokenModule,
      imports: [A2AModule.forRoot(), A2AModule.forFeature([BrokenAgent])],
      providers: [BrokenAgent],
    });
    for (const binding of BINDINGS) {
      const story = await read(await sendStream(binding, running.base, 'hi'));
      expect(story[0]!.event.task).toBeDefined();
      expect(word(story.at(-1)!)).toMatch(/FAILED$/);
      expect(JSON.stringify(story)).not.toMatch(SECRET);
    }
    const { body } = await rpc(running.base, 'SendMessage', M('hi'));
    expect(body.result.task.status.state).toBe('TASK_STATE_FAILED');
    await stop(running);
  });

  /** A log that cannot be read any more. */
  class FailingQueueManager extends MemoryQueueManager {
    down = false;

    override async read(taskId: string, after: number, limit?: number): Promise<readonly LogRecord[]> {
      if (this.down) throw new Error('connect ECONNREFUSED: db password=hunter2 at /srv/secret');
      return super.read(taskId, after, limit);
    }
  }

  it('A12: a log that fails ends the stream with an error of its binding', async () => {
    const queueManager = new FailingQueueManager();
    const running = await start(platform, scripted({ queueManager }));
    const { base } = running;
    const overRpc = sse(await sendStream('JSON-RPC', base, 'slow:5'));
    const overRest = sse(await sendStream('REST', base, 'slow:5'));
    const { data: opening } = (await overRpc.next()).value!;
    await overRest.next();
    queueManager.down = true;
    const last = async (stream: AsyncIterable<SseFrame>) => {
      let frame: SseFrame | undefined;
      for await (frame of stream);
      return frame!;
    };
    const rpcEnd = await last(overRpc);
    expect(rpcEnd.event).toBeUndefined();
    expect(rpcEnd.data).toMatchObject({ jsonrpc: '2.0', id: opening.id, error: { code: -32603 } });
    expect(rpcEnd.data).not.toHaveProperty('result');
    const restEnd = await last(overRest);
    expect(restEnd.event).toBeUndefined();
    expect(restEnd.data).toMatchObject({ error: { code: 500, status: 'INTERNAL' } });
    expect(JSON.stringify([rpcEnd, restEnd])).not.toMatch(SECRET);
    await stop(running);
  });

  it('A10: a log that cannot be read from the start is an HTTP error, not an empty stream', async () => {
    const queueManager = new FailingQueueManager();
    const running = await start(platform, scripted({ queueManager }));
    queueManager.down = true;
    const overRpc = await rpc(running.base, 'SendStreamingMessage', M('quick'));
    expect(overRpc.headers.get('content-type')).toMatch(/^application\/json/);
    expect(overRpc.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32603 } });
    const overRest = await rest(running.base, 'POST', '/message:stream', M('quick'));
    expect(overRest.status).toBe(500);
    expect(overRest.body).toMatchObject({ error: { code: 500, status: 'INTERNAL' } });
    await stop(running);
  });
});

describe.concurrent.each(PLATFORMS)('A19: behind compression, on %s', (platform) => {
  it('events arrive when they are emitted', async () => {
    const running = await start(platform, scripted(), {
      configure: (app) => app.use(compression({ threshold: 0 })),
    });
    const { base } = running;
    const whole = await fetch(`${base}/a2a/rest/tasks`, { headers: { 'a2a-version': '1.0' } });
    expect(whole.headers.get('content-encoding')).toMatch(/gzip|br|deflate/);
    await Promise.all(
      BINDINGS.map(async (binding) => {
        const response = await sendStream(binding, base, 'slow:10', {}, { 'accept-encoding': 'gzip, br' });
        expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
        expect(response.headers.get('x-accel-buffering')).toBe('no');
        expect(response.headers.get('content-type')).toBe('text/event-stream');
        const told: { word: string; at: number }[] = [];
        for await (const event of events(response)) told.push({ word: word(event), at: event.at });
        const at = (text: string) => told.find((event) => event.word === text)!.at;
        expect(at('+c9.') - at('c0')).toBeGreaterThanOrEqual(1_500);
        expect(at('WORKING')).toBeLessThan(at('c0') + 100);
      }),
    );
    await stop(running);
  });
});
