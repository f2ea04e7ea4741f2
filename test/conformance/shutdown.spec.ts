import { setTimeout as sleep } from 'node:timers/promises';
import {
  AgentExecutor,
  getText,
  type RequestContext,
  Skill,
  type Task,
  TaskRunner,
  TaskStore,
} from 'nest-a2a';
import { describe, expect, it } from 'vitest';
import { M } from '../support/message.js';
import { readEvents } from '../support/sse.js';
import { PLATFORMS, serveApp } from './support/app.js';
import { BINDINGS } from './support/peer.js';
import { show } from './support/show.js';

const DRAIN_MS = 600;

@Skill({ id: 'slow', name: 'Slow', description: 'Takes its time', tags: ['test'] })
@AgentExecutor({ name: 'Slow', description: 'Takes its time', version: '1' })
class SlowAgent {
  async execute({ userInput, updater, signal }: RequestContext): Promise<void> {
    if (userInput === 'park') return updater.requiresInput();
    await updater.startWork();
    const artifact = updater.artifact();
    for (let i = 0; i < Number(userInput); i++) {
      await artifact.write(`c${i}`);
      await sleep(50, undefined, { signal });
    }
    await updater.complete();
  }
}

describe.each(PLATFORMS)('C19 closing in the middle of work on %s', (platform) => {
  it.each(BINDINGS)('over %s', async (binding) => {
    const { app, peer: peerOf } = await serveApp(platform, {
      agents: [SlowAgent],
      options: { execution: { drainMs: DRAIN_MS } },
    });
    const peer = peerOf(binding);
    const runner = app.get(TaskRunner);
    const store = app.get(TaskStore);
    const parked = await peer.send('park');
    const long = await peer.start('1000');
    // Each is open when its head is there.
    const responses = await Promise.all([
      peer.request('SendStreamingMessage', M('1000')),
      peer.request('SendStreamingMessage', M('4')),
      peer.request('SubscribeToTask', { id: long.id }),
      peer.request('SubscribeToTask', { id: parked.id }),
    ]);
    const streams = responses.map((response) => readEvents(response));
    const blocking = peer.send('1000');
    await expect.poll(async () => (await peer.ok('ListTasks')).totalSize).toBe(5);
    expect(runner.accepting).toBe(true);

    const began = performance.now();
    const closing = app.close();
    await expect.poll(() => runner.accepting, { interval: 5 }).toBe(false);

    // While it drains it still answers, but takes no more work.
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      for (const params of [M('1'), M('more', { message: { taskId: parked.id } })]) {
        const refusal = await peer.refused(operation, params);
        expect(refusal).toMatchObject({ httpStatus: 503, reason: 'UNAVAILABLE' });
        expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }
    expect((await peer.get(long.id)).status.state).toBe('TASK_STATE_WORKING');

    const frames = await Promise.all(streams);
    const [running, short, subscribed, waiting] = frames.map((some) =>
      some.map((frame) => peer.payload(frame)),
    );
    // What fits into the drain time ends by itself; what does not is ended with a reason.
    expect(show(short!).at(-1)).toBe('COMPLETED');
    for (const events of [running!, subscribed!]) {
      expect(show(events).at(-1)).toBe('FAILED');
      const { statusUpdate } = events.at(-1)!;
      expect(statusUpdate!.metadata).toEqual({ reason: 'interrupted' });
      expect(getText(statusUpdate!.status.message!)).toMatch(/^interrupted/);
    }
    expect(show(waiting!)).toEqual(['Task INPUT_REQUIRED']);
    expect((await blocking).status.state).toBe('TASK_STATE_FAILED');
    await closing;
    expect(performance.now() - began).toBeLessThan(DRAIN_MS + 2_000);

    const states = async (task: Task) => (await store.get(task.id))?.task.status.state;
    expect(await states(long)).toBe('TASK_STATE_FAILED');
    expect(await states(parked)).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('takes no longer than it needs when nothing runs', async () => {
    const { app, peer } = await serveApp(platform, { agents: [SlowAgent] });
    const parked = await peer().send('park');
    const response = await peer().request('SubscribeToTask', { id: parked.id });
    const subscription = readEvents(response);
    const began = performance.now();
    await app.close();
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(show((await subscription).map((frame) => peer().payload(frame)))).toEqual(['Task INPUT_REQUIRED']);
  });
});
