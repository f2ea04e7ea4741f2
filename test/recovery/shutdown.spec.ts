import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { A2AReadiness } from '../../lib/execution/readiness.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import { UnavailableError } from '../../lib/protocol/errors.js';
import { getText } from '../../lib/protocol/text.js';
import { readToEnd, readUntil, startAgent, to } from '../execution/agent-host.js';
import { gate } from '../execution/writer-harness.js';
import { IN_TIME, Replicas, agentThat, type Replica } from './replicas.js';

let replicas: Replicas;

beforeEach(() => {
  replicas = new Replicas();
});

afterEach(() => replicas.close());

async function begin(replica: Replica): Promise<string> {
  const stream = await replica.stream('first');
  const [opening] = await readUntil(stream, (event) => event.artifactUpdate !== undefined);
  stream.close();
  return opening!.event.task!.id;
}

/** Its first attempt is never done. */
async function patient(context: RequestContext): Promise<void> {
  const { updater, attempt } = context;
  await updater.startWork(`attempt ${attempt}`);
  await updater.addArtifact(`by attempt ${attempt}`, { artifactId: 'a', lastChunk: attempt > 1 });
  if (attempt > 1) return updater.complete();
  await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
  // What it says now is nobody's business any more.
  await updater.failed('told to stop').catch(() => {});
  throw new Error('told to stop');
}

describe('a process that is shut down while a task runs (C19)', () => {
  it('hands it over where the agent wants that, and another goes on', async () => {
    const agent = agentThat('retry', patient);
    const a = await replicas.start(agent, { execution: { drainMs: 20 } });
    const b = await replicas.start(agent);
    const id = await begin(a);
    const reader = await b.handler.subscribeToTask({ id }, b.call);
    await a.module.close();
    const events = await readToEnd(reader);
    expect(events.at(-1)!.event.statusUpdate!.status.state).toBe('TASK_STATE_COMPLETED');
    const task = await b.get(id);
    expect(task.artifacts!.map((artifact) => getText(artifact))).toEqual(['by attempt 2']);
    expect(JSON.stringify(task)).not.toContain('told to stop');
    expect(a.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('leaves it as queued for a process that comes later, with the messages that wait', async () => {
    const agent = agentThat('retry', async (context) => {
      if (context.userInput === 'second') return context.updater.complete();
      if (context.attempt > 1) return context.updater.requiresInput();
      return patient(context);
    });
    const a = await replicas.start(agent, { execution: { drainMs: 20 } });
    const id = await begin(a);
    const waiting = a.send(to(id, 'second')).catch(() => {});
    await expect.poll(async () => (await replicas.queue.head(id))!.sequence, IN_TIME).toBe(5);
    await a.module.close();
    expect(await replicas.runState(id)).toBe('queued');
    expect((await replicas.store.get(id))!.task.status.state).toBe('TASK_STATE_WORKING');
    const b = await replicas.start(agent);
    await expect.poll(async () => (await b.get(id)).status.state, IN_TIME).toBe('TASK_STATE_COMPLETED');
    await waiting;
  });

  it('fails it as interrupted otherwise', async () => {
    const agent = agentThat('fail', patient);
    const a = await replicas.start(agent, { execution: { drainMs: 20 } });
    const id = await begin(a);
    await a.module.close();
    expect(await replicas.runState(id)).toBe('ended');
    const { status } = (await replicas.store.get(id))!.task;
    expect(status.state).toBe('TASK_STATE_FAILED');
    expect(getText(status.message!)).toContain('interrupted');
  });

  it('fails it, too, where the log goes with the process', async () => {
    const host = await startAgent(agentThat('retry', patient), { execution: { drainMs: 20 } });
    const stream = await host.stream('first');
    await readUntil(stream, (event) => event.artifactUpdate !== undefined);
    const rest = readToEnd(stream);
    await host.close();
    expect((await rest).at(-1)!.event.statusUpdate!.status.state).toBe('TASK_STATE_FAILED');
  });

  it('is not ready from the beginning of it, and refuses new sends while the task may still end', async () => {
    const go = gate();
    const agent = agentThat('fail', async ({ updater }) => {
      await updater.startWork();
      await updater.addArtifact('half');
      await go.opened;
      await updater.complete();
    });
    const a = await replicas.start(agent, { execution: { drainMs: 10_000 } });
    const readiness = a.module.get(A2AReadiness, { strict: false });
    expect(readiness.ready).toBe(true);
    const id = await begin(a);
    const closing = a.module.close();
    await expect.poll(() => readiness.ready).toBe(false);
    for (const refused of [a.send('second'), a.stream('second'), a.send(to(id, 'more'))]) {
      await expect(refused).rejects.toThrow(UnavailableError);
      await expect(refused).rejects.toMatchObject({ retryAfterSeconds: 5 });
    }
    expect((await a.get(id)).status.state).toBe('TASK_STATE_WORKING');
    go.open();
    await closing;
    expect((await replicas.store.get(id))!.task.status.state).toBe('TASK_STATE_COMPLETED');
  });
});
