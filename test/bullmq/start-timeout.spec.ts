import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { A2A_RUN_QUEUE } from '../../lib/bullmq/bullmq-options.js';
import { UnavailableError } from '../../lib/protocol/errors.js';
import { TaskRunner } from '../../lib/interfaces/task-runner.js';
import { getText } from '../../lib/protocol/text.js';
import { messageCommand, originOf, taskEvent, unique } from '../contracts/samples.js';
import { plainAgent, readToEnd, skillAgent, statesOf, type AgentHost } from '../execution/agent-host.js';
import { describeWithServer } from '../support/servers.js';
import { Cluster } from './cluster.js';

const START = 300;
const IMMEDIATE = { returnImmediately: true };
const AGENT = plainAgent(({ updater }) => updater.complete());

const cluster = (agent = AGENT, startTimeoutMs = START): Cluster =>
  new Cluster(agent, { execution: { startTimeoutMs } });
const runnerOf = (host: AgentHost): TaskRunner => host.module.get(TaskRunner, { strict: false });
const stateOf = async (host: AgentHost, id: string): Promise<string> => (await host.get(id)).status.state;

describeWithServer('A message that no worker takes', 'redis', () => {
  it('is answered by an error that says when to try again, and leaves nothing behind', async () => {
    await using all = cluster();
    const web = await all.start({ role: 'web' });
    const begun = performance.now();
    const error = await web.send('hi').catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ retryAfterSeconds: expect.any(Number) });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(START - 5);
    expect(performance.now() - begun).toBeLessThan(START + 700);
    expect([all.queue.size, all.store.size]).toEqual([0, 0]);
    // The job that is left finds nothing to do.
    expect(await all.waiting()).toBe(1);
    await all.start({ role: 'worker' });
    await expect.poll(() => all.waiting()).toBe(0);
    expect([all.queue.size, all.store.size]).toEqual([0, 0]);
  });

  it('ends its stream with that error, before any event', async () => {
    await using all = cluster();
    const web = await all.start({ role: 'web' });
    const stream = await web.stream('hi');
    await expect(stream.read()).rejects.toThrow(UnavailableError);
    stream.close();
    expect(all.queue.size).toBe(0);
  });

  it('sent with returnImmediately is answered at once, can be read, and its task fails', async () => {
    await using all = cluster();
    const web = await all.start({ role: 'web' });
    const begun = performance.now();
    const task = await web.send('hi', IMMEDIATE);
    expect(performance.now() - begun).toBeLessThan(200);
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_SUBMITTED' },
      history: [{ role: 'ROLE_USER' }],
    });
    expect(await web.get(task.id)).toEqual(task);
    expect((await all.store.get(task.id))!.task).toEqual(task);
    const stream = await web.handler.subscribeToTask({ id: task.id }, web.call);
    const events = await readToEnd(stream);
    expect(statesOf(events)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_FAILED']);
    expect(events.at(-1)!.event.statusUpdate!.metadata).toEqual({ reason: 'no-worker' });
    const { status } = await web.get(task.id);
    expect(getText(status.message!)).toContain('no-worker');
    expect(await all.queue.head(task.id)).toMatchObject({ closed: true, runState: 'ended' });
  });

  it('can be canceled without any worker', async () => {
    await using all = cluster();
    const web = await all.start({ role: 'web' });
    const { id } = await web.send('hi', IMMEDIATE);
    expect((await web.cancel(id)).status.state).toBe('TASK_STATE_CANCELED');
    await sleep(START + 100);
    expect(await stateOf(web, id)).toBe('TASK_STATE_CANCELED');
    await expect(
      web.send({ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }], taskId: id }),
    ).rejects.toThrow(/ended/);
  });

  it('whose job is not noted is refused at once', async () => {
    await using all = cluster(AGENT, 60_000);
    const web = await all.start({ role: 'web' });
    const jobs = web.module.get<{ add(): Promise<unknown> }>(A2A_RUN_QUEUE, { strict: false });
    vi.spyOn(jobs, 'add').mockRejectedValue(new Error('READONLY'));
    await expect(web.send('hi')).rejects.toThrow(UnavailableError);
    const stream = await web.stream('hi');
    await expect(stream.read()).rejects.toThrow(UnavailableError);
    stream.close();
    await expect(web.send('hi', IMMEDIATE)).rejects.toThrow(UnavailableError);
    expect([all.queue.size, all.store.size]).toEqual([0, 0]);
  });

  it('is given up by whoever pokes, when the process that accepted it is gone', async () => {
    await using all = cluster();
    const web = await all.start({ role: 'web' });
    const [fresh, published] = [unique('task'), unique('task')];
    await all.queue.create(fresh, originOf(), messageCommand('hi'));
    const lease = await all.queue.create(published, originOf(), messageCommand('hi'), {
      holder: 'gone',
      ttlMs: 9_000,
    });
    await all.queue.append(lease!, [taskEvent(published)]);
    await all.queue.release(lease!, 'queued', Infinity);
    for (let i = 0; i < 5; i++) for (const id of [fresh, published]) await runnerOf(web).poke(id);
    expect(await all.waiting()).toBe(2);
    await expect.poll(() => all.queue.head(fresh)).toBeUndefined();
    await expect.poll(() => all.queue.head(published)).toMatchObject({ closed: true });
    expect((await all.store.get(published))!.task.status.state).toBe('TASK_STATE_FAILED');
  });

  it('to a task that waits for one stays there until a worker comes', async () => {
    await using all = cluster(
      plainAgent(({ updater, userInput }) =>
        userInput === 'done' ? updater.complete() : updater.requiresInput(),
      ),
    );
    const web = await all.start({ role: 'web' });
    const worker = await all.start({ role: 'worker' });
    const { id } = await web.send('ask me');
    await worker.shutDown();
    const answer = web.send({ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'done' }], taskId: id });
    await sleep(START + 100);
    expect(await all.queue.head(id)).toMatchObject({ closed: false });
    await all.start({ role: 'worker' });
    expect((await answer).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describeWithServer('A worker that comes', 'redis', () => {
  it('in time runs what was published meanwhile; a Message that it answers becomes the status message', async () => {
    await using all = cluster(
      skillAgent(() => 'Hello'),
      60_000,
    );
    const web = await all.start({ role: 'web' });
    const { id } = await web.send('hi', IMMEDIATE);
    await all.start({ role: 'worker' });
    await expect.poll(() => stateOf(web, id)).toBe('TASK_STATE_COMPLETED');
    const { status, history } = await web.get(id);
    expect(getText(status.message!)).toBe('Hello');
    expect(history).toHaveLength(1);
  });

  it('while the task is being published is woken again', async () => {
    // The web process holds the lease just when the worker looks.
    const execution = { startTimeoutMs: 60_000, immediateFirstEventMs: 1 };
    await using all = new Cluster(AGENT, { execution });
    const web = await all.start({ role: 'web' });
    await all.start({ role: 'worker', concurrency: 50 });
    const sent = await Promise.all(Array.from({ length: 100 }, () => web.send('hi', IMMEDIATE)));
    for (const { id } of sent) await expect.poll(() => stateOf(web, id)).toBe('TASK_STATE_COMPLETED');
  });

  it('at the last moment either runs the task or finds nothing: never both, never neither', async () => {
    const runs = new Map<string, number>();
    const agent = plainAgent(async ({ updater, taskId }) => {
      runs.set(taskId, (runs.get(taskId) ?? 0) + 1);
      await updater.complete();
    });
    await using all = new Cluster(agent, { execution: { immediateFirstEventMs: 2 } });
    await all.start({ role: 'worker', concurrency: 20 });
    const webs = await Promise.all(
      [1, 2, 4, 8, 16, 32, 64, 1_000].map((startTimeoutMs) =>
        all.start({ role: 'web' }, { execution: { startTimeoutMs } }),
      ),
    );
    const counts = { refused: 0, failed: 0, completed: 0 };
    for (const configuration of [{}, IMMEDIATE]) {
      for (let round = 0; round < 10; round++) {
        const sends = webs.flatMap((web) => [web.send('a', configuration), web.send('b', configuration)]);
        for (const answer of await Promise.allSettled(sends)) {
          if (answer.status === 'rejected') {
            expect(answer.reason).toBeInstanceOf(UnavailableError);
            counts.refused += 1;
            continue;
          }
          const { id } = answer.value;
          await expect.poll(() => stateOf(webs[0]!, id)).toMatch(/COMPLETED|FAILED/);
          const ran = (await stateOf(webs[0]!, id)) === 'TASK_STATE_COMPLETED';
          expect(runs.get(id)).toBe(ran ? 1 : undefined);
          counts[ran ? 'completed' : 'failed'] += 1;
        }
      }
    }
    const { refused, failed, completed } = counts;
    expect(refused + failed + completed).toBe(320);
    expect(Math.min(refused, completed)).toBeGreaterThan(0);
    // What was refused has left nothing, and no run that anybody could see.
    expect(all.store.size).toBe(failed + completed);
    expect(all.queue.size).toBe(failed + completed);
    expect(runs.size).toBe(completed);
  });
});
