import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Recovery } from '../../lib/execution/recovery.js';
import { TaskHandle } from '../../lib/interfaces/task-updater.js';
import { getText } from '../../lib/protocol/text.js';
import { readToEnd, readUntil, statesOf, to } from '../execution/agent-host.js';
import { gate } from '../execution/writer-harness.js';
import { IN_TIME, Replicas, agentThat, type Replica } from './replicas.js';

let replicas: Replicas;
let a: Replica;

const agent = agentThat('retry', async ({ updater, userInput }) => {
  if (userInput === 'done') return updater.complete();
  if (userInput !== 'work') return updater.requiresInput(userInput);
  await updater.startWork();
  return new Promise(() => {});
});

beforeEach(async () => {
  replicas = new Replicas();
  a = await replicas.start(agent);
});

afterEach(() => replicas.close());

async function parked(): Promise<string> {
  const { id } = await a.send('first');
  await expect.poll(() => replicas.runState(id), IN_TIME).toBe('parked');
  return id;
}

describe('a parked task whose log is gone', () => {
  it('takes a message, whose numbers and tokens go on above its snapshot', async () => {
    const id = await parked();
    const before = (await replicas.store.get(id))!;
    await replicas.queue.remove(id);
    const events = await readToEnd(await a.stream(to(id, 'again')));
    expect(statesOf(events).at(-1)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(events.at(-1)!.sequence).toBeGreaterThan(before.sequence);
    const after = (await replicas.store.get(id))!;
    expect(after.fence).toBeGreaterThan(before.fence);
    expect((await a.send(to(id, 'done'))).status.state).toBe('TASK_STATE_COMPLETED');
    const said = (await a.get(id)).history!.filter(({ role }) => role === 'ROLE_USER');
    expect(said.map((message) => getText(message))).toEqual(['first', 'again', 'done']);
  });

  it('takes ten messages at once, each once', async () => {
    const id = await parked();
    const b = await replicas.start(agent);
    await replicas.queue.remove(id);
    const sends = Array.from({ length: 10 }, (_, i) => (i % 2 ? a : b).send(to(id, `${i}`)));
    await Promise.all(sends);
    const said = (await a.get(id)).history!.filter(({ role }) => role === 'ROLE_USER');
    expect(said).toHaveLength(11);
  });

  it('can be canceled, and ended by its handle', async () => {
    const [first, second] = [await parked(), await parked()];
    await replicas.queue.remove(first, second);
    expect((await a.cancel(first)).status.state).toBe('TASK_STATE_CANCELED');
    await a.module.get(TaskHandle, { strict: false }).for(second).complete();
    expect((await a.get(second)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is left as it is by the recovery', async () => {
    const id = await parked();
    await replicas.queue.remove(id);
    await a.module.get(Recovery, { strict: false }).settleLost(Date.now() + 3_600_000);
    expect((await a.get(id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(await replicas.queue.head(id)).toBeUndefined();
  });
});

describe('a running task whose log is gone', () => {
  it('is FAILED by its own process as soon as that one notices', async () => {
    const go = gate();
    const working = agentThat('fail', async ({ updater }) => {
      await updater.startWork();
      await go.opened;
      await updater.complete();
    });
    const b = await replicas.start(working);
    const stream = await b.stream('work');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    stream.close();
    const { id } = opening!.event.task!;
    await expect.poll(() => replicas.store.get(id), IN_TIME).toBeDefined();
    await replicas.queue.remove(id);
    go.open();
    await expect.poll(async () => (await b.get(id)).status.state, IN_TIME).toBe('TASK_STATE_FAILED');
  });

  it('is FAILED as interrupted, once, whoever looks', async () => {
    const stream = await a.stream('work');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    stream.close();
    const { id } = opening!.event.task!;
    await expect.poll(() => replicas.store.get(id), IN_TIME).toBeDefined();
    const b = await replicas.start(agent);
    a.kill();
    await replicas.queue.remove(id);
    const before = (await replicas.store.get(id))!;
    const recovery = b.module.get(Recovery, { strict: false });
    await Promise.all([
      recovery.settleLost(Date.now() + 3_600_000),
      recovery.settleLost(Date.now() + 3_600_000),
    ]);
    const { status } = await b.get(id);
    expect(status.state).toBe('TASK_STATE_FAILED');
    expect(getText(status.message!)).toContain('interrupted');
    expect((await replicas.store.get(id))!.fence).toBeGreaterThan(before.fence);
    expect(await replicas.queue.head(id)).toMatchObject({ closed: true, runState: 'ended' });
    expect(await replicas.queue.read(id, 0)).toHaveLength(1);
  });

  it('is found at boot, and not while it is young', async () => {
    const stream = await a.stream('work');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    stream.close();
    const { id } = opening!.event.task!;
    await expect.poll(() => replicas.store.get(id), IN_TIME).toBeDefined();
    a.kill();
    await replicas.queue.remove(id);
    const young = await replicas.start(agent);
    await young.module.get(Recovery, { strict: false }).settleLost(Date.now() - 60_000);
    expect(await replicas.queue.head(id)).toBeUndefined();
    const { timestamp } = (await replicas.store.get(id))!.task.status;
    await expect.poll(() => Date.now() - Date.parse(timestamp!), IN_TIME).toBeGreaterThan(700);
    const b = await replicas.start(agent, { recovery: { lostLogsMs: 3_600_000 } });
    await expect.poll(async () => (await b.get(id)).status.state, IN_TIME).toBe('TASK_STATE_FAILED');
  });
});
