import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getText } from '../../lib/protocol/text.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import { TaskHandle } from '../../lib/interfaces/task-updater.js';
import {
  cancelCommand,
  messageCommand,
  originOf,
  statusEvent,
  taskEvent,
  unique,
} from '../contracts/samples.js';
import { readToEnd, readUntil, to } from '../execution/agent-host.js';
import { gate } from '../execution/writer-harness.js';
import { IN_TIME, Replicas, agentThat, type Replica } from './replicas.js';

let replicas: Replicas;

beforeEach(() => {
  replicas = new Replicas();
});

afterEach(() => replicas.close());

const never = (): Promise<never> => new Promise(() => {});

/** Begins a task on a replica and kills that one in the middle of the run. */
async function loseRun(a: Replica, text = 'first'): Promise<string> {
  const stream = await a.stream(text);
  const events = await readUntil(stream, (event) => event.artifactUpdate !== undefined);
  stream.close();
  a.kill();
  return events[0]!.event.task!.id;
}

async function halfAndHang({ updater }: RequestContext): Promise<void> {
  await updater.startWork();
  await updater.addArtifact('half', { artifactId: 'poem', lastChunk: false });
  await never();
}

describe('a run whose process is killed', () => {
  it('is FAILED as interrupted, and every reader is told', async () => {
    const agent = agentThat(undefined, halfAndHang);
    const [a, b, c] = [await replicas.start(agent), await replicas.start(agent), await replicas.start(agent)];
    const stream = await a.stream('first');
    const [opening] = await readUntil(stream, (event) => event.artifactUpdate !== undefined);
    stream.close();
    const { id } = opening!.event.task!;
    const readers = await Promise.all(
      [b, c].map((replica) => replica.handler.subscribeToTask({ id }, replica.call)),
    );
    a.kill();
    for (const events of await Promise.all(readers.map(readToEnd))) {
      const { statusUpdate } = events.at(-1)!.event;
      expect(statusUpdate).toMatchObject({
        status: { state: 'TASK_STATE_FAILED' },
        metadata: { reason: 'interrupted' },
      });
      expect(getText(statusUpdate!.status.message!)).toContain('interrupted');
    }
    expect((await b.get(id)).artifacts).toHaveLength(1);
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('ended');
    expect((await replicas.store.get(id))!.task.status.state).toBe('TASK_STATE_FAILED');
  });

  it('runs again where the agent wants it, and what it had half written is replaced', async () => {
    const attempts: number[] = [];
    const agent = agentThat('retry', async (context) => {
      const { updater, attempt } = context;
      attempts.push(attempt);
      if (attempt === 1) return halfAndHang(context);
      await updater.startWork();
      await updater.addArtifact('whole ', { artifactId: 'poem', append: true });
      await updater.addArtifact('poem', { artifactId: 'poem', append: true, lastChunk: true });
      return updater.complete();
    });
    const [a, b] = [await replicas.start(agent), await replicas.start(agent)];
    const stream = await a.stream('first');
    const [opening] = await readUntil(stream, (event) => event.artifactUpdate !== undefined);
    stream.close();
    const { id } = opening!.event.task!;
    const reader = await b.handler.subscribeToTask({ id }, b.call);
    a.kill();
    const chunks = (await readToEnd(reader)).flatMap(({ event }) => event.artifactUpdate ?? []);
    expect(chunks.map(({ append = false }) => append)).toEqual([false, true]);
    const task = await b.get(id);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts!.map((artifact) => getText(artifact, ''))).toEqual(['whole poem']);
    expect(task.history).toHaveLength(1);
    expect(attempts).toEqual([1, 2]);
  });

  it('adds to what an earlier message has made when it runs again', async () => {
    const agent = agentThat('retry', async (context) => {
      const { updater, attempt, userInput } = context;
      if (userInput === 'first') {
        await updater.addArtifact('kept', { artifactId: 'kept' });
        return updater.requiresInput();
      }
      if (attempt === 1) return halfAndHang(context);
      await updater.addArtifact(', and more', { artifactId: 'kept', append: true, lastChunk: true });
      return updater.complete();
    });
    const [a, b] = [await replicas.start(agent), await replicas.start(agent)];
    const { id } = await a.send('first');
    const events = await readUntil(await a.stream(to(id, 'second')), ({ artifactUpdate }) => {
      return artifactUpdate?.artifact.artifactId === 'poem';
    });
    expect(events[0]!.event.task!.status.state).not.toBe('TASK_STATE_SUBMITTED');
    a.kill();
    await expect.poll(async () => (await b.get(id)).status.state, IN_TIME).toBe('TASK_STATE_COMPLETED');
    const { artifacts } = await b.get(id);
    expect(artifacts!.map((artifact) => getText(artifact, ''))).toEqual(['kept, and more', 'half']);
  });

  it('runs as often as the option says, then fails', async () => {
    let runs = 0;
    const agent = agentThat('retry', async (context) => {
      runs += 1;
      await halfAndHang(context);
    });
    const options = { recovery: { maxAttempts: 2 } };
    const a = await replicas.start(agent, options);
    const id = await loseRun(a);
    const b = await replicas.start(agent, options);
    await expect.poll(() => runs, IN_TIME).toBe(2);
    b.kill();
    const c = await replicas.start(agent, options);
    await expect.poll(async () => (await c.get(id)).status.state, IN_TIME).toBe('TASK_STATE_FAILED');
    expect(getText((await c.get(id)).status.message!)).toContain('interrupted');
    expect(runs).toBe(2);
  });

  it('is answered to a caller that waits on another replica', async () => {
    const agent = agentThat('retry', async (context) => {
      if (context.attempt === 1 && context.userInput === 'second') return halfAndHang(context);
      return context.userInput === 'second' ? context.updater.complete() : context.updater.requiresInput();
    });
    const [a, b] = [await replicas.start(agent), await replicas.start(agent)];
    const { id } = await a.send('first');
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('parked');
    const stream = await a.stream(to(id, 'second'));
    await readUntil(stream, (event) => event.artifactUpdate !== undefined);
    stream.close();
    const answer = b.send(to(id, 'third'));
    await expect.poll(async () => (await replicas.queue.head(id))!.sequence, IN_TIME).toBeGreaterThan(5);
    a.kill();
    expect((await answer).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('leaves a task that had paused to its caller', async () => {
    const agent = agentThat('fail', async ({ updater, userInput }) => {
      if (userInput === 'done') return updater.complete();
      await updater.requiresInput();
      return never();
    });
    const [a, b] = [await replicas.start(agent), await replicas.start(agent)];
    const { id } = await a.send('first');
    a.kill();
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('parked');
    expect((await b.send(to(id, 'done'))).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is canceled where a cancel had been asked for', async () => {
    const agent = agentThat('retry', halfAndHang);
    const a = await replicas.start(agent);
    const id = await loseRun(a);
    await replicas.queue.appendCommand(id, cancelCommand());
    const b = await replicas.start(agent);
    await expect.poll(async () => (await b.get(id)).status.state, IN_TIME).toBe('TASK_STATE_CANCELED');
  });

  it('is not taken over by a task handle, which waits until the recovery has settled it', async () => {
    const agent = agentThat(undefined, halfAndHang);
    const a = await replicas.start(agent);
    const id = await loseRun(a);
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('running');
    const b = await replicas.start(agent, { recovery: { sweepMs: 0 } });
    const completion = b.module.get(TaskHandle, { strict: false }).for(id).complete();
    const refused = expect(completion).rejects.toMatchObject({ name: 'TaskEndedError' });
    const c = await replicas.start(agent);
    await refused;
    expect((await c.get(id)).status.state).toBe('TASK_STATE_FAILED');
  });

  it('is settled once, however many look', async () => {
    const agent = agentThat(undefined, halfAndHang);
    const a = await replicas.start(agent);
    const id = await loseRun(a);
    await Promise.all(Array.from({ length: 4 }, () => replicas.start(agent)));
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('ended');
    const records = await replicas.queue.read(id, 0, 1_000);
    const ends = records.filter(
      ({ event }) => event && 'statusUpdate' in event && event.statusUpdate?.metadata,
    );
    expect(ends).toHaveLength(1);
  });

  it('is not touched by a process that does not know its agent', async () => {
    const id = unique('task');
    const origin = originOf({ agent: 'another' });
    await replicas.queue.create(id, origin, messageCommand('first'), { holder: 'killed', ttlMs: 1 });
    const other = unique('task');
    await replicas.queue.create(other, originOf(), messageCommand('first'), { holder: 'killed', ttlMs: 1 });
    await replicas.start(agentThat('fail', ({ updater }) => updater.complete()));
    await expect.poll(() => replicas.runState(other), IN_TIME).toBe('ended');
    expect(await replicas.queue.head(id)).toMatchObject({ closed: false, sequence: 1, token: 1 });
  });
});

describe('what a process leaves behind', () => {
  const quick = agentThat('fail', ({ updater }) => updater.complete());

  it('is settled at boot: a message that no run had taken runs', async () => {
    const id = unique('task');
    await replicas.queue.create(id, originOf(), messageCommand('first'), { holder: 'killed', ttlMs: 1 });
    await replicas.start(quick, { recovery: { sweepMs: 3_600_000 } });
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('ended');
    expect((await replicas.store.get(id))!.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is only saved when the task had ended already', async () => {
    const id = unique('task');
    const lease = await replicas.queue.create(id, originOf(), messageCommand('first'), {
      holder: 'k',
      ttlMs: 1,
    });
    const end = statusEvent(id, 'TASK_STATE_COMPLETED');
    await replicas.queue.append(lease!, [taskEvent(id), end], { close: true });
    await replicas.start(quick);
    await expect.poll(() => replicas.store.get(id), IN_TIME).toBeDefined();
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('ended');
    expect(await replicas.queue.read(id, 0)).toHaveLength(3);
  });

  it('is given back when it was answered with a Message, and nothing is to be saved', async () => {
    const id = unique('task');
    const lease = await replicas.queue.create(id, originOf(), messageCommand('first'), {
      holder: 'k',
      ttlMs: 1,
    });
    const { message } = messageCommand('answer');
    await replicas.queue.append(lease!, [{ message }], { close: true });
    await replicas.start(quick);
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('ended');
    expect(await replicas.store.get(id)).toBeUndefined();
  });

  it('is a message for a parked task: it runs', async () => {
    const agent = agentThat('fail', ({ updater, userInput }) =>
      userInput === 'done' ? updater.complete() : updater.requiresInput(),
    );
    const a = await replicas.start(agent, { recovery: { sweepMs: 0 } });
    const { id } = await a.send('first');
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('parked');
    await replicas.queue.appendCommand(id, messageCommand('done'));
    const b = await replicas.start(agent);
    await expect.poll(async () => (await b.get(id)).status.state, IN_TIME).toBe('TASK_STATE_COMPLETED');
  });

  it('is a detached task: nothing is changed, also when its handle was lost while it wrote', async () => {
    const agent = agentThat('fail', async ({ updater }) => {
      await updater.startWork();
      updater.detach();
    });
    const a = await replicas.start(agent);
    const stream = await a.stream('first');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    stream.close();
    const { id } = opening!.event.task!;
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('detached');
    const before = (await replicas.queue.head(id))!;
    await replicas.queue.acquire(id, { holder: 'killed', ttlMs: 1, keepState: true });
    await expect.poll(async () => (await replicas.queue.head(id))!.token, IN_TIME).toBe(before.token + 2);
    await expect.poll(() => replicas.runState(id), IN_TIME).toBe('detached');
    expect((await replicas.queue.head(id))!.sequence).toBe(before.sequence);
    await a.module.get(TaskHandle, { strict: false }).for(id).complete();
    expect((await a.get(id)).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('a process that was blocked for longer than its lease', () => {
  it('is refused everything once another has begun the run anew (C20)', async () => {
    const results: unknown[] = [];
    const blocked = gate();
    const agent = agentThat('retry', async (context) => {
      const { updater, attempt } = context;
      await updater.startWork(`attempt ${attempt}`);
      if (attempt > 1) return updater.complete('by the second');
      await updater.addArtifact('first', { lastChunk: false });
      await blocked.opened;
      results.push(await updater.addArtifact('late').catch((error: unknown) => error));
      results.push(await updater.complete('by the first').catch((error: unknown) => error));
    });
    // It does not say that it is alive, as if its event loop stood still.
    const a = await replicas.start(agent, { execution: { leaseRenewMs: 3_600_000, leaseTtlMs: 100 } });
    const stream = await a.stream('first');
    const [opening] = await readUntil(stream, (event) => event.artifactUpdate !== undefined);
    const b = await replicas.start(agent);
    const { id } = opening!.event.task!;
    await expect.poll(async () => (await b.get(id)).status.state, IN_TIME).toBe('TASK_STATE_COMPLETED');
    const events = await readToEnd(stream);
    expect(getText(events.at(-1)!.event.statusUpdate!.status.message!)).toBe('by the second');
    blocked.open();
    await expect.poll(() => results.length, IN_TIME).toBe(2);
    for (const result of results) expect(result).toMatchObject({ name: 'TaskEndedError' });
    const { artifacts, status } = await a.get(id);
    expect(getText(status.message!)).toBe('by the second');
    expect(artifacts).toHaveLength(1);
  });
});
