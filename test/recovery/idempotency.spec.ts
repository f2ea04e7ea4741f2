import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  UnavailableError,
  InvalidParamsError,
  UnsupportedOperationError,
} from '../../lib/protocol/errors.js';
import { userMessage } from '../../lib/protocol/messages.js';
import type { Message, SendMessageConfiguration } from '../../lib/protocol/model.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import { TaskRunner } from '../../lib/interfaces/task-runner.js';
import { unique } from '../contracts/samples.js';
import { readToEnd, statesOf } from '../execution/agent-host.js';
import { gate } from '../execution/writer-harness.js';
import { IN_TIME, Replicas, agentThat, type Replica } from './replicas.js';

const OPTIONS = { idempotency: { windowMs: 60_000 } };

let replicas: Replicas;
let runs: number;
let a: Replica;
let b: Replica;

async function execute({ updater, userInput }: RequestContext): Promise<void> {
  runs += 1;
  await updater.startWork();
  await updater.addArtifact(userInput);
  if (userInput.startsWith('park')) return updater.requiresInput();
  return updater.complete();
}

beforeEach(async () => {
  replicas = new Replicas();
  runs = 0;
  const agent = agentThat('fail', execute);
  [a, b] = [await replicas.start(agent, OPTIONS), await replicas.start(agent, OPTIONS)];
});

afterEach(() => replicas.close());

const messageOf = (text: string, more: Partial<Message> = {}): Message => ({
  ...userMessage(text),
  messageId: unique('message'),
  ...more,
});
const immediately: SendMessageConfiguration = { returnImmediately: true };

describe('a message that is sent again (C16)', () => {
  it('begins one task, in whatever way its answer is wanted', async () => {
    const message = messageOf('hello');
    const first = await a.send(message);
    expect(await b.send(structuredClone(message))).toEqual(first);
    expect(await a.send(message, immediately)).toEqual(first);
    const events = await readToEnd(await b.stream(message));
    expect(events[0]!.event.task!.id).toBe(first.id);
    expect(statesOf(events)[0]).toBe('TASK_STATE_SUBMITTED');
    expect(statesOf(events).at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(runs).toBe(1);
  });

  it('20 times at once, to two replicas, begins one task', async () => {
    const message = messageOf('hello');
    const sends = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? a : b).send(structuredClone(message), i % 3 ? undefined : immediately),
    );
    const ids = new Set((await Promise.all(sends)).map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect(runs).toBe(1);
  });

  it('may have its members in another order', async () => {
    const message = messageOf('hello', { metadata: { a: 1, b: { c: 2, d: 3 } } });
    const { id } = await a.send(message);
    const again = { ...message, metadata: { b: { d: 3, c: 2 }, a: 1 } };
    expect((await b.send(again)).id).toBe(id);
  });

  it('is answered while the first is still worked on', async () => {
    const go = gate();
    const slow = agentThat('fail', async ({ updater }) => {
      runs += 1;
      await updater.startWork();
      await go.opened;
      await updater.complete();
    });
    const [c, d] = [await replicas.start(slow, OPTIONS), await replicas.start(slow, OPTIONS)];
    const message = messageOf('hello');
    const answers = [c.send(message), d.send(message)];
    const { id, status } = await d.send(message, immediately);
    expect(status.state).not.toBe('TASK_STATE_COMPLETED');
    go.open();
    for (const task of await Promise.all(answers))
      expect(task).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(runs).toBe(1);
  });

  it('with another payload is refused, and nothing is run', async () => {
    const message = messageOf('hello');
    await a.send(message);
    const other = b.send({ ...message, parts: [{ text: 'another' }] });
    await expect(other).rejects.toThrow(InvalidParamsError);
    await expect(other).rejects.toMatchObject({ violations: [{ field: 'message.messageId' }] });
    expect(runs).toBe(1);
  });

  it.each([
    ['user', { user: { id: 'another' } }],
    ['tenant', { tenant: 'another' }],
  ])('by another %s is another message', async (_, marks) => {
    const message = messageOf('hello');
    const { id } = await a.send(message);
    const { task } = await b.handler.sendMessage({ message }, { ...b.call, ...marks });
    expect(task!.id).not.toBe(id);
    expect(runs).toBe(2);
  });
});

describe('a follow-up that is sent again', () => {
  it('runs once and is answered with what came of it', async () => {
    const { id: taskId } = await a.send(messageOf('park'));
    const message = messageOf('park again', { taskId });
    const first = await a.send(message);
    expect(await b.send(message)).toEqual(first);
    const sends = Array.from({ length: 20 }, (_, i) => (i % 2 ? a : b).send(message));
    for (const task of await Promise.all(sends)) expect(task).toEqual(first);
    expect(runs).toBe(2);
    expect(first.history!.filter(({ messageId }) => messageId === message.messageId)).toHaveLength(1);
  });

  it('20 times at once runs once', async () => {
    const { id: taskId } = await a.send(messageOf('park'));
    const message = messageOf('done', { taskId });
    const sends = Array.from({ length: 20 }, (_, i) => (i % 2 ? a : b).send(structuredClone(message)));
    for (const { status } of await Promise.all(sends)) expect(status.state).toBe('TASK_STATE_COMPLETED');
    expect(runs).toBe(2);
  });

  it('is answered when it has ended the task, also without the log; others are refused', async () => {
    const { id: taskId } = await a.send(messageOf('park'));
    const message = messageOf('done', { taskId });
    const task = await a.send(message);
    expect(await b.send(message)).toEqual(task);
    await expect.poll(() => replicas.runState(taskId), IN_TIME).toBe('ended');
    await expect(b.send(messageOf('late', { taskId }))).rejects.toThrow(UnsupportedOperationError);
    await replicas.queue.remove(taskId);
    expect(await b.send(message)).toEqual(task);
    await expect(b.send(messageOf('late', { taskId }))).rejects.toThrow(UnsupportedOperationError);
    expect(runs).toBe(2);
  });

  it('with another payload is refused', async () => {
    const { id: taskId } = await a.send(messageOf('park'));
    const message = messageOf('park again', { taskId });
    await a.send(message);
    await expect(b.send({ ...message, parts: [{ text: 'another' }] })).rejects.toThrow(InvalidParamsError);
    // Nor may it begin a task, or go to another.
    const { taskId: _, ...anew } = message;
    await expect(b.send(anew)).rejects.toThrow(InvalidParamsError);
    const other = await a.send(messageOf('park'));
    await expect(b.send({ ...message, taskId: other.id })).rejects.toThrow(InvalidParamsError);
    expect(runs).toBe(3);
  });

  it('that was refused can be corrected', async () => {
    const { id: taskId } = await a.send(messageOf('done'));
    const message = messageOf('more', { taskId });
    await expect(a.send(message)).rejects.toThrow(UnsupportedOperationError);
    const { taskId: _, ...anew } = message;
    const task = await b.send(anew);
    expect(task.id).not.toBe(taskId);
    expect((await a.send(anew)).id).toBe(task.id);
    expect(runs).toBe(2);
  });
});

describe('a send that failed', () => {
  it('because it was refused leaves nothing that stands in the way of a corrected one', async () => {
    const message = messageOf('hello');
    const bad = a.handler.sendMessage(
      { message, configuration: { historyLength: -1 } as SendMessageConfiguration },
      a.call,
    );
    await expect(bad).rejects.toThrow(InvalidParamsError);
    expect((await a.send({ ...message, parts: [{ text: 'corrected' }] })).status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  it('between its claim and its log is begun under the claimed id, once', async () => {
    const runner = a.module.get(TaskRunner, { strict: false });
    const { start } = runner;
    let claimed: string | undefined;
    runner.start = async (taskId) => {
      claimed = taskId;
      throw new UnavailableError('killed');
    };
    const message = messageOf('hello');
    await expect(a.send(message)).rejects.toThrow('killed');
    runner.start = start;
    const sends = Array.from({ length: 6 }, (_, i) => (i % 2 ? a : b).send(message));
    for (const { id } of await Promise.all(sends)) expect(id).toBe(claimed);
    expect(runs).toBe(1);
    await expect(b.send({ ...message, parts: [{ text: 'another' }] })).rejects.toThrow(InvalidParamsError);
  });
});

describe('without the option', () => {
  it('a message that is sent again begins another task', async () => {
    const c = await replicas.start(agentThat('fail', execute));
    const message = messageOf('hello');
    expect((await c.send(message)).id).not.toBe((await c.send(message)).id);
  });
});
