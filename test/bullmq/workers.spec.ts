import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Module, type Type } from '@nestjs/common';
import { BullModule, getQueueToken, InjectQueue } from '@nestjs/bullmq';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { A2AModule } from '../../lib/a2a.module.js';
import { A2ABullMqModule } from '../../lib/bullmq/bullmq.module.js';
import { BullMqTaskRunner } from '../../lib/bullmq/bullmq-task-runner.js';
import { AgentError } from '../../lib/protocol/agent-error.js';
import { InvalidParamsError, UnsupportedOperationError } from '../../lib/protocol/errors.js';
import { getText } from '../../lib/protocol/text.js';
import type { ServerCallContext } from '../../lib/interfaces/server-call-context.js';
import { TaskRunner } from '../../lib/interfaces/task-runner.js';
import { aborted, plainAgent, readToEnd, requestOf, skillAgent, statesOf } from '../execution/agent-host.js';
import { A2ARedisModule } from '../../lib/redis/redis.module.js';
import { describeWithServer, redisUrl } from '../support/servers.js';
import { Cluster } from './cluster.js';

describeWithServer('An agent on a worker', 'redis', () => {
  it('sees the call as it was made, and whoever waits at the web process sees what it does', async () => {
    const seen: ServerCallContext[] = [];
    const agent = plainAgent(async ({ updater, call, signal }) => {
      seen.push(call);
      await updater.startWork();
      await updater.addArtifact('a');
      expect(signal.aborted).toBe(false);
      await updater.complete();
    });
    await using all = new Cluster(agent, {}, 'redis');
    const web = await all.start({ role: 'web' });
    await all.start({ role: 'worker' });
    const call: ServerCallContext = {
      ...web.call,
      user: { id: 'ann', scopes: ['read'], claims: { team: { id: 7 } } },
      tenant: 'acme',
      extensions: ['https://example.com/ext'],
      headers: { 'user-agent': 'test' },
      trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=b' },
    };
    const { task } = await web.handler.sendMessage(requestOf('hi'), call);
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'a' }] }],
    });
    expect(seen).toEqual([call]);
    const stream = await web.handler.sendStreamingMessage(requestOf('hi'), call);
    expect(statesOf(await readToEnd(stream))).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('refuses and fails towards the caller as it does in one process', async () => {
    const agent = skillAgent(async ({ userInput }) => {
      if (userInput === 'refuse')
        throw new UnsupportedOperationError('Not on Sundays', { metadata: { day: 'Sunday' } });
      if (userInput === 'invalid')
        throw new InvalidParamsError([{ field: 'message', description: 'too short' }]);
      if (userInput === 'public') throw new AgentError('The order number is missing');
      if (userInput === 'message') return 'Hello';
      throw new Error('db password=hunter2');
    });
    await using all = new Cluster(agent, {}, 'redis');
    const web = await all.start({ role: 'web' });
    await all.start({ role: 'worker' });
    const refused = await web.send('refuse').catch((e: unknown) => e);
    expect(refused).toBeInstanceOf(UnsupportedOperationError);
    expect(refused).toMatchObject({ message: 'Not on Sundays' });
    await expect(web.send('invalid')).rejects.toThrow(InvalidParamsError);
    const failed = await web.send('public');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(getText(failed.status.message!)).toBe('The order number is missing');
    const secret = await web.send('boom');
    expect(secret.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(secret)).not.toContain('hunter2');
    const { message } = await web.handler.sendMessage(requestOf('message'), web.call);
    expect(getText(message!)).toBe('Hello');
  });

  it('is aborted within a second of a cancel at the web process', async () => {
    let abortedAt = 0;
    const agent = plainAgent(async (context) => {
      context.signal.addEventListener('abort', () => (abortedAt = performance.now()));
      await context.updater.startWork();
      await aborted(context);
    });
    await using all = new Cluster(agent, {}, 'redis');
    const web = await all.start({ role: 'web' });
    await all.start({ role: 'worker' });
    const { id } = await web.send('hi', { returnImmediately: true });
    await expect.poll(async () => (await web.get(id)).status.state).toBe('TASK_STATE_WORKING');
    const asked = performance.now();
    expect((await web.cancel(id)).status.state).toBe('TASK_STATE_CANCELED');
    expect(abortedAt - asked).toBeGreaterThan(0);
    expect(abortedAt - asked).toBeLessThan(1_000);
  });

  it('runs as often at a time as the worker may, and never at a web process', async () => {
    const at = { now: 0, most: 0 };
    const agent = plainAgent(async ({ updater }) => {
      at.most = Math.max(at.most, ++at.now);
      await sleep(20);
      at.now -= 1;
      await updater.complete();
    });
    await using all = new Cluster(agent, { execution: { startTimeoutMs: 60_000 } });
    const web = await all.start({ role: 'web' });
    const sends = Promise.all(Array.from({ length: 12 }, () => web.send('hi')));
    await expect.poll(() => all.waiting()).toBe(12);
    await sleep(50);
    expect(at.most).toBe(0);
    await all.start({ role: 'worker', concurrency: 3 });
    for (const { status } of await sends) expect(status.state).toBe('TASK_STATE_COMPLETED');
    expect(at.most).toBe(3);
    await expect
      .poll(() => all.jobs.getJobCounts())
      .toMatchObject({ completed: 0, failed: 0, active: 0, waiting: 0 });
  });

  it('detached stays detached, whatever pokes are still under way', async () => {
    let runs = 0;
    const agent = plainAgent(async ({ updater }) => {
      runs += 1;
      await updater.startWork();
      updater.detach();
    });
    await using all = new Cluster(agent);
    const web = await all.start({ role: 'web' });
    await all.start({ role: 'worker' });
    const { id } = await web.send('hi', { returnImmediately: true });
    await expect.poll(async () => (await all.queue.head(id))!.runState).toBe('detached');
    await all.jobs.add('poke', { taskId: id }, { removeOnComplete: true });
    await expect.poll(() => all.jobs.getJobCounts()).toMatchObject({ active: 0, waiting: 0 });
    expect((await all.queue.head(id))!.runState).toBe('detached');
    expect(runs).toBe(1);
    await web.cancel(id);
  });
});

describeWithServer('A2ABullMqModule', 'redis', () => {
  it.each([
    [{ role: 'server' as 'web' }, /the role is "server"; give one of web, worker, all/],
    [{ role: 'web' as const }, /not known where Redis is; give `url` or `connection`, or import BullModule/],
  ])('does not boot with %j, and says why', async (options, reason) => {
    const module = Test.createTestingModule({ imports: [A2ABullMqModule.forRoot(options)] });
    await expect(module.compile()).rejects.toThrow(reason);
  });

  it('works on the connection of BullModule.forRoot(), in a context without HTTP, and closes with it', async () => {
    const agent = plainAgent(({ updater, userInput }) => updater.complete(`Heard ${userInput}`));
    await using all = new Cluster(agent, {}, 'redis');
    const web = await all.start({ role: 'web' });
    const worker = await NestFactory.createApplicationContext(workerModule(all, agent), { logger: false });
    expect(worker.get(TaskRunner, { strict: false })).toBeInstanceOf(BullMqTaskRunner);
    expect(worker.get<Queue>(getQueueToken('a2a-runs'), { strict: false }).opts.prefix).toBe(all.prefix);
    const { status } = await web.send('you');
    expect(getText(status.message!)).toBe('Heard you');
    await worker.close();
  });
});

/** The root module of a worker as an application would write it. */
function workerModule(all: Cluster, agent: Type): Type {
  @Injectable()
  class Dashboard {
    constructor(@InjectQueue('a2a-runs') readonly queue: Queue) {}
  }
  @Module({
    imports: [
      BullModule.forRoot({ connection: { url: redisUrl() }, prefix: all.prefix }),
      A2AModule.forRoot({ controllers: false, taskStore: all.store }),
      A2ARedisModule.forRoot({ url: redisUrl(), keyPrefix: `${all.prefix}-logs` }),
      A2ABullMqModule.forRootAsync({ useFactory: () => Promise.resolve({ role: 'worker' as const }) }),
      A2AModule.forFeature([{ agent, id: 'agent' }]),
    ],
    providers: [agent, Dashboard],
  })
  class WorkerModule {}
  return WorkerModule;
}
