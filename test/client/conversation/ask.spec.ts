import { TaskNotFoundError, userMessage, type Task } from 'nest-a2a';
import type { A2AClient, ClientInterceptor, OutgoingCall } from 'nest-a2a/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFixture, type Fixture } from '../../fixtures/scripted-agent/bootstrap.js';
import { CLIENT_BINDINGS, clientOf } from '../clients.js';

/** Remembers what goes out. */
class Witness implements ClientInterceptor {
  readonly calls: OutgoingCall[] = [];

  before(call: OutgoingCall): void {
    this.calls.push(call);
  }

  get operations(): string[] {
    return this.calls.map(({ operation }) => operation);
  }

  /** The last message. */
  get sent(): OutgoingCall {
    return this.calls.findLast(({ operation }) => operation.startsWith('Send'))!;
  }
}

const AGENTS = [
  { what: 'streams', capabilities: 'streaming' },
  { what: 'does not stream', capabilities: '' },
];

describe.each(AGENTS)('an agent that $what', ({ what, capabilities }) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', CAPABILITIES: capabilities });
  });
  afterAll(() => fixture.close());

  describe.each(CLIENT_BINDINGS)('over %s', (binding) => {
    let client: A2AClient;
    let witness: Witness;
    beforeEach(() => {
      witness = new Witness();
      client = clientOf(fixture.base, binding, { interceptors: [witness] });
    });
    afterEach(() => client.close());

    /** A task that waits for input. */
    async function parked(): Promise<Task> {
      const result = await client.ask('park');
      expect(result).toMatchObject({ kind: 'input-required' });
      return (result as { task: Task }).task;
    }

    it('completes, with artifacts and text', async () => {
      const result = await client.ask('slow:3');
      expect(result).toMatchObject({ kind: 'completed', text: 'c0c1c2' });
      expect(result.kind === 'completed' && result.artifacts).toHaveLength(1);
      expect(witness.operations[0]).toBe(what === 'streams' ? 'SendStreamingMessage' : 'SendMessage');
    });

    it('is asked parts, or a message as it is', async () => {
      expect(await client.ask([{ text: 'quick' }])).toMatchObject({
        kind: 'completed',
        text: 'Hello, quick',
      });
      const message = userMessage('quick', { messageId: `mine-${binding}`, contextId: 'ours' });
      const result = await client.ask(message);
      expect(result).toMatchObject({ kind: 'completed', task: { contextId: 'ours' } });
      expect(witness.sent.request).toMatchObject({ message });
    });

    it('answers with a message', async () => {
      expect(await client.ask('message')).toMatchObject({ kind: 'message', text: 'Hello' });
    });

    it.each([
      ['boom', 'failed'],
      ['boom-late', 'failed'],
      ['reject', 'rejected'],
    ])('says that %s is %s, without content', async (question, kind) => {
      const result = await client.ask(question);
      expect(result).toMatchObject({ kind, reason: expect.any(String) });
      expect(result).not.toHaveProperty('text');
      expect(result).not.toHaveProperty('artifacts');
    });

    it('says why it failed', async () => {
      expect(await client.ask('public-error')).toMatchObject({
        kind: 'failed',
        reason: 'The order number is missing',
      });
    });

    it('C09: goes on with the task itself, as often as it waits', async () => {
      const task = await parked();
      const again = await client.continueTask(task, 'more');
      expect(again).toMatchObject({
        kind: 'input-required',
        task: { id: task.id, contextId: task.contextId },
      });
      const { request } = witness.sent;
      expect(request).toMatchObject({ message: { taskId: task.id, contextId: task.contextId } });
      expect(request).not.toHaveProperty('message.referenceTaskIds');
      // Only the id is known; the agent infers the rest.
      const done = await client.continueTask(task.id, 'finish');
      expect(done).toMatchObject({ kind: 'completed', task: { id: task.id, contextId: task.contextId } });
      expect(done.kind === 'completed' && done.artifacts.map(({ parts }) => parts[0]?.text)).toEqual([
        'more',
      ]);
    });

    it('waits for credentials, and is waited for meanwhile', async () => {
      const result = await client.ask('auth');
      expect(result).toMatchObject({ kind: 'auth-required', text: 'Please sign in' });
      const { id } = (result as { task: Task }).task;
      expect(await client.waitFor(id)).toMatchObject({ kind: 'auth-required', task: { id } });
      expect(await client.waitFor(id, { until: 'ended' })).toMatchObject({ kind: 'completed', task: { id } });
    });

    it('is waited for by the id of a task', async () => {
      const { task } = await client.sendMessage({
        message: userMessage('slow:3'),
        configuration: { returnImmediately: true },
      });
      const { id } = task!;
      expect(await client.waitFor(id)).toMatchObject({ kind: 'completed', text: 'c0c1c2', task: { id } });
      // It has ended by now, so there is nothing to subscribe to.
      expect(await client.waitFor(id)).toMatchObject({ kind: 'completed', text: 'c0c1c2', task: { id } });
      await expect(client.waitFor('nobody')).rejects.toBeInstanceOf(TaskNotFoundError);
    });

    it('ends with the reason of the signal', async () => {
      const signal = AbortSignal.timeout(100);
      const failure = await client.ask('hold:5000', { signal }).catch((error: unknown) => error);
      expect(failure).toBe(signal.reason);
      expect(failure).toBeDefined();
    });
  });
});
