import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { expect, it } from 'vitest';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import { Skill } from '../../lib/decorators/skill.decorator.js';
import type { EventQueue } from '../../lib/interfaces/event-queue.js';
import type { QueueManager } from '../../lib/interfaces/queue-manager.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import { UnavailableError } from '../../lib/protocol/errors.js';
import { getText } from '../../lib/protocol/text.js';
import { plainAgent, readToEnd, statesOf } from '../execution/agent-host.js';
import { gate } from '../execution/writer-harness.js';
import { BadLine } from '../redis/bad-line.js';
import { describeWithServer, redisUrl } from '../support/servers.js';
import { Cluster } from './cluster.js';

/** An agent whose runs begin anew when their process was lost. */
function retryingAgent(execute: (context: RequestContext, events: EventQueue) => Promise<void>): Type {
  @Skill({ id: 'do', name: 'Do', description: 'Does it', tags: ['test'] })
  @AgentExecutor({ name: 'Test', description: 'Does it', version: '1.0.0', onInterrupted: 'retry' })
  class RetryingAgent {
    execute(context: RequestContext, events: EventQueue): Promise<void> {
      return execute(context, events);
    }
  }
  return RetryingAgent;
}

/** The same logs for a process whose event loop stands still: no call gets through before `opened`. */
function blockable(queue: QueueManager): { readonly queue: QueueManager; block(until: Promise<void>): void } {
  let until: Promise<void> | undefined;
  const proxy = new Proxy(queue, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      if (key === 'watch') return member.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        await until;
        return member.apply(target, args) as unknown;
      };
    },
  });
  return { queue: proxy, block: (opened) => void (until = opened) };
}

describeWithServer('A worker that is blocked for longer than its lock', 'redis', () => {
  it('is refused everything, once BullMQ has given its job to another (C20)', async () => {
    const writes: string[] = [];
    const attempts: number[] = [];
    const [blocked, awake] = [gate(), gate()];
    let id = '';
    const agent = retryingAgent(async ({ taskId, updater, attempt, signal }, events) => {
      id = taskId;
      attempts.push(attempt);
      const output = updater.artifact({ artifactId: 'out' });
      await output.write(`${attempt}a `);
      await events.flush();
      if (attempt === 1) {
        blocked.open();
        await awake.opened;
        const late = async (what: string, write: () => Promise<unknown>): Promise<void> => {
          const refused = await write().then(
            () => 'logged',
            (error: Error) => error.name,
          );
          writes.push(`${what}: ${refused}`);
        };
        await late('chunk', async () => {
          await output.write('late');
          await events.flush();
        });
        await late('end', () => updater.complete('late'));
        writes.push(`aborted: ${signal.aborted}`);
        return;
      }
      await output.write(`${attempt}b`);
      await output.close();
      await updater.complete('done');
    });
    // Only BullMQ's own watch over its jobs leads to the second run.
    const execution = { leaseTtlMs: 600, leaseRenewMs: 150, startTimeoutMs: 60_000 };
    await using line = await BadLine.to(redisUrl());
    await using all = new Cluster(agent, { execution, recovery: { sweepMs: 3_600_000 } });
    const web = await all.start({ role: 'web' });
    const first = blockable(all.queue);
    await all.start({ role: 'worker', url: line.url }, { queueManager: first.queue });
    const stream = await web.stream('hi');
    const reading = readToEnd(stream);
    await blocked.opened;
    const { token } = (await all.queue.head(id))!;
    first.block(awake.opened);
    line.block(true);
    await all.start({ role: 'worker' });
    await expect.poll(() => attempts, { timeout: 10_000 }).toEqual([1, 2]);
    line.block(false);
    awake.open();
    const events = await reading;
    await expect.poll(() => writes).toHaveLength(3);
    expect(writes).toEqual(['chunk: TaskEndedError', 'end: TaskEndedError', 'aborted: true']);
    expect(statesOf(events)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_COMPLETED']);
    const task = await web.get(id);
    expect(getText(task.status.message!)).toBe('done');
    expect(task.artifacts!.map((artifact) => getText(artifact, ''))).toEqual(['2a 2b']);
    expect((await all.queue.head(id))!.token).toBeGreaterThan(token);
    await expect.poll(() => all.jobs.getJobCounts()).toMatchObject({ active: 0, waiting: 0, failed: 0 });
  });
});

describeWithServer('A worker that shuts down', 'redis', () => {
  it('hands its runs over to another at once, where the agent wants them to begin anew', async () => {
    const attempts: number[] = [];
    const agent = retryingAgent(async ({ updater, attempt }) => {
      attempts.push(attempt);
      await updater.startWork();
      if (attempt === 1) await new Promise(() => {});
      await updater.complete();
    });
    const options = { execution: { drainMs: 50 }, recovery: { sweepMs: 3_600_000 } };
    await using all = new Cluster(agent, options, 'redis');
    const web = await all.start({ role: 'web' });
    const first = await all.start({ role: 'worker' });
    const answer = web.send('hi');
    await expect.poll(() => attempts).toEqual([1]);
    await all.start({ role: 'worker' });
    await first.shutDown();
    expect((await answer).status.state).toBe('TASK_STATE_COMPLETED');
    expect(attempts).toEqual([1, 2]);
  });

  it('takes no more jobs meanwhile', async () => {
    const go = gate();
    const ran: string[] = [];
    const agent = plainAgent(async ({ updater, userInput }) => {
      ran.push(userInput);
      if (userInput === 'first') await go.opened;
      await updater.complete();
    });
    await using all = new Cluster(agent, { execution: { drainMs: 10_000 } });
    const web = await all.start({ role: 'web' });
    const first = await all.start({ role: 'worker', concurrency: 5 });
    const answers = [web.send('first')];
    await expect.poll(() => ran).toEqual(['first']);
    const stopping = first.shutDown();
    await sleep(20);
    answers.push(web.send('second'));
    await expect.poll(() => all.waiting()).toBe(1);
    await sleep(100);
    expect(ran).toEqual(['first']);
    go.open();
    await stopping;
    await all.start({ role: 'worker' });
    for (const { status } of await Promise.all(answers)) expect(status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describeWithServer("When BullMQ's Redis", 'redis', () => {
  const agent = plainAgent(async ({ updater }) => updater.complete());

  it('cuts all connections, the next messages run all the same', async () => {
    await using line = await BadLine.to(redisUrl());
    await using all = new Cluster(agent);
    const web = await all.start({ role: 'web', url: line.url });
    await all.start({ role: 'worker', url: line.url });
    await web.send('hi');
    for (let round = 0; round < 2; round++) {
      line.cut();
      const answers = await Promise.all([web.send('a'), web.send('b')]);
      for (const { status } of answers) expect(status.state).toBe('TASK_STATE_COMPLETED');
    }
    expect(line.cuts).toBeGreaterThan(0);
  });

  it('does not answer, messages are refused in time, and applications close', async () => {
    await using line = await BadLine.to(redisUrl());
    await using all = new Cluster(agent, { execution: { startTimeoutMs: 300 } });
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
    const [web, worker] = [
      await all.start({ role: 'web', url: line.url }),
      await all.start({ role: 'worker', url: line.url }),
    ];
    await web.send('hi');
    line.block(true);
    await expect(web.send('hi')).rejects.toThrow(UnavailableError);
    expect(all.queue.size).toBe(1);
    const begun = performance.now();
    await Promise.all([web.shutDown(), worker.shutDown()]);
    expect(performance.now() - begun).toBeLessThan(7_000);
    await line[Symbol.asyncDispose]();
    // That of the operator is left.
    await expect.poll(sockets).toBeLessThanOrEqual(1);
  });
});
