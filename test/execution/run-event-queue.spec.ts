import { describe, expect, it } from 'vitest';
import { RunEventQueue } from '../../lib/execution/run-event-queue.js';
import { TaskEndedError } from '../../lib/interfaces/event-queue.js';
import { InvalidAgentResponseError } from '../../lib/protocol/errors.js';
import { artifact, status } from '../../lib/protocol/events.js';
import { agentMessage } from '../../lib/protocol/messages.js';
import { TASK, beginWriter, eventsOf, type WriterHarness } from './writer-harness.js';

async function setup(): Promise<WriterHarness & { readonly queue: RunEventQueue }> {
  const harness = await beginWriter();
  return { ...harness, queue: new RunEventQueue(harness.writer, harness.command.message) } as never;
}

describe('RunEventQueue', () => {
  it('publishes the task with the message before the first event that is no Task', async () => {
    const harness = await setup();
    await harness.queue.enqueueEvent(status('TASK_STATE_WORKING'));
    expect(await eventsOf(harness)).toMatchObject([
      { task: { id: TASK, status: { state: 'TASK_STATE_SUBMITTED' }, history: [harness.command.message] } },
      { statusUpdate: { taskId: TASK, contextId: 'context', status: { state: 'TASK_STATE_WORKING' } } },
    ]);
  });

  it('adds the message to a first Task that lacks it, once', async () => {
    const harness = await setup();
    const { message } = harness.command;
    await harness.queue.enqueueEvent({ id: TASK, status: { state: 'TASK_STATE_WORKING' } });
    await harness.queue.enqueueEvent({
      id: TASK,
      status: { state: 'TASK_STATE_WORKING' },
      history: [message],
    });
    for (const { task } of await eventsOf(harness)) expect(task!.history).toEqual([message]);
  });

  it('fills in ids, timestamp and wrapping of bare objects', async () => {
    const harness = await setup();
    await harness.queue.enqueueEvent({
      status: { state: 'TASK_STATE_WORKING', message: agentMessage('hi') },
    } as never);
    await harness.queue.enqueueEvent({ artifact: { artifactId: 'a', parts: [{ text: 'x' }] } } as never);
    await harness.queue.flush();
    const [, update, chunk] = await eventsOf(harness);
    expect(update!.statusUpdate).toMatchObject({
      taskId: TASK,
      contextId: 'context',
      status: { timestamp: expect.stringMatching(/Z$/), message: { taskId: TASK, contextId: 'context' } },
    });
    expect(chunk!.artifactUpdate).toMatchObject({ taskId: TASK, contextId: 'context' });
  });

  it('takes a Message as the whole answer, then nothing', async () => {
    const harness = await setup();
    await harness.queue.enqueueEvent(agentMessage('Answer'));
    expect(await eventsOf(harness)).toMatchObject([{ message: { contextId: 'context' } }]);
    await expect(harness.queue.enqueueEvent(status('TASK_STATE_WORKING'))).rejects.toThrow(TaskEndedError);
  });

  it('refuses a Message after events of the task', async () => {
    const harness = await setup();
    await harness.queue.enqueueEvent(artifact('x'));
    await expect(harness.queue.enqueueEvent(agentMessage('x'))).rejects.toThrow(InvalidAgentResponseError);
  });

  it('refuses everything after the end of the run', async () => {
    const harness = await setup();
    await harness.queue.enqueueEvent(status('TASK_STATE_INPUT_REQUIRED'));
    harness.queue.end();
    await expect(harness.queue.enqueueEvent(artifact('late'))).rejects.toThrow(TaskEndedError);
    expect(await eventsOf(harness)).toHaveLength(2);
  });

  it('does not say that all is logged when the lease was lost, or the run was given up', async () => {
    const lost = await setup();
    await lost.log.acquire(TASK, { holder: 'another', ttlMs: 60_000 }, true);
    await lost.queue.enqueueEvent(artifact('x', { append: true }));
    await expect(lost.queue.flush()).rejects.toThrow(TaskEndedError);
    expect(await eventsOf(lost)).toEqual([]);

    const over = await setup();
    over.queue.end();
    await over.queue.enqueueEvent(artifact('late')).catch(() => {});
    await expect(over.queue.flush()).rejects.toThrow(TaskEndedError);
  });

  it('knows whether the last status leaves the task to somebody else', async () => {
    const { queue } = await setup();
    expect(queue.paused).toBe(false);
    await queue.enqueueEvent(status('TASK_STATE_INPUT_REQUIRED'));
    await queue.enqueueEvent(artifact('x'));
    expect(queue.paused).toBe(true);
    await queue.enqueueEvent(status('TASK_STATE_WORKING'));
    expect(queue.paused).toBe(false);
    await queue.enqueueEvent(status('TASK_STATE_AUTH_REQUIRED', 'Sign in'));
    expect(queue.paused).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'text'],
    ['a number', 7],
    ['an empty object', {}],
    ['a status without a state', { status: {} }],
    ['a status that is null', { statusUpdate: { status: null } }],
    ['an event of another task', { ...status('TASK_STATE_WORKING').statusUpdate, taskId: 'another' }],
    ['another task', { id: 'another', status: { state: 'TASK_STATE_WORKING' } }],
    ['a Message without parts', { messageId: 'm', role: 'ROLE_AGENT' }],
    [
      'a status whose message has no parts',
      { status: { state: 'TASK_STATE_WORKING', message: { messageId: 'm' } } },
    ],
    ['an artifact without parts', { artifact: { artifactId: 'a' } }],
    ['a timestamp that is none', { status: { state: 'TASK_STATE_WORKING', timestamp: 'yesterday' } }],
  ])('refuses %s, and logs nothing of it', async (_, emission) => {
    const harness = await setup();
    const refused = harness.queue.enqueueEvent(emission as never);
    await expect(refused).rejects.toThrow(InvalidAgentResponseError);
    expect(await eventsOf(harness)).toEqual([]);
  });
});
