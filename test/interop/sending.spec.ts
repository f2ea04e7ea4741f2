import { setTimeout as sleep } from 'node:timers/promises';
import { Role } from '@a2a-js/sdk';
import { expect, it } from 'vitest';
import { onEveryWire } from './on-every-wire.js';
import { send, sendForTask, state, textOf, textPart } from './sdk.js';

onEveryWire('sendMessage', {}, (wire) => {
  it('speaks the binding it was asked to, in version 1.0', () => {
    expect(wire.client.transport.protocolName).toBe(wire.binding);
    expect(wire.client.protocolVersion).toBe('1.0');
  });

  it('blocks until the task has ended', async () => {
    const task = await sendForTask(wire.client, 'quick');
    expect(state(task)).toBe('COMPLETED');
    expect(task.artifacts.map(textOf)).toEqual(['Hello, quick']);
    expect(task.history.map(textOf)).toEqual(['quick']);
    expect(task.history[0]).toMatchObject({
      role: Role.ROLE_USER,
      taskId: task.id,
      contextId: task.contextId,
    });
    expect(Date.parse(task.status?.timestamp ?? '')).toBeCloseTo(Date.now(), -5);
  });

  it('gets a direct message', async () => {
    const answer = await wire.client.sendMessage(send('message'));
    if (!('messageId' in answer)) throw new Error('no message');
    expect(textOf(answer)).toBe('Hello');
    expect(answer.role).toBe(Role.ROLE_AGENT);
    expect(answer.contextId).not.toBe('');
    expect(answer.taskId).toBe('');
  });

  it('returns at once when it is told to, by the request or by the polling option', async () => {
    const polling = await wire.connect({ clientConfig: { polling: true } });
    const { configuration: _, ...unsaid } = send('hold:400');
    const [asked, configured] = await Promise.all([
      sendForTask(wire.client, 'hold:400', { configuration: { returnImmediately: true } }),
      polling.sendMessage({ ...unsaid, configuration: undefined }),
    ]);
    if (!('status' in configured)) throw new Error('no task');
    for (const task of [asked, configured]) {
      expect(state(task)).toMatch(/^(SUBMITTED|WORKING)$/);
      await expect
        .poll(async () => state(await wire.client.getTask({ tenant: '', id: task.id })), { timeout: 5_000 })
        .toBe('COMPLETED');
    }
  });

  it('shows as much history as asked for', async () => {
    const none = await sendForTask(wire.client, 'quick', { configuration: { historyLength: 0 } });
    expect(none.history).toEqual([]);
    const one = await sendForTask(wire.client, 'quick', { configuration: { historyLength: 1 } });
    expect(one.history).toHaveLength(1);
  });

  it('continues a task that asked for input', async () => {
    const parked = await sendForTask(wire.client, 'park');
    expect(state(parked)).toBe('INPUT_REQUIRED');
    const follow = (text: string) =>
      sendForTask(wire.client, text, { message: { taskId: parked.id, contextId: parked.contextId } });
    const again = await follow('more');
    expect(again.id).toBe(parked.id);
    expect(state(again)).toBe('INPUT_REQUIRED');
    const done = await follow('finish');
    expect(state(done)).toBe('COMPLETED');
    expect(done.artifacts.map(textOf)).toEqual(['more']);
    expect(done.history.map(textOf)).toEqual(['park', 'more', 'finish']);
  });

  it('starts a new task in a context it names', async () => {
    const { contextId } = await sendForTask(wire.client, 'quick');
    const second = await sendForTask(wire.client, 'whoami', { message: { contextId } });
    expect(second.contextId).toBe(contextId);
    expect(JSON.parse(textOf(second.artifacts[0]))).toMatchObject({
      contextId,
      user: null,
      historyLength: 1,
    });
  });

  it('lets a task wait for the sign-in of its user, and end without a further message', async () => {
    const task = await sendForTask(wire.client, 'auth');
    expect(state(task)).toBe('AUTH_REQUIRED');
    expect(textOf(task.status?.message)).toBe('Please sign in');
    await sleep(2_000);
    await expect
      .poll(async () => state(await wire.client.getTask({ tenant: '', id: task.id })), { timeout: 5_000 })
      .toBe('COMPLETED');
  });

  it.each([
    ['reject', 'REJECTED', ''],
    ['public-error', 'FAILED', 'The order number is missing'],
    ['noterminal', 'FAILED', /./],
  ])('sees how %s ends', async (text, ended, said) => {
    const task = await sendForTask(wire.client, text);
    expect(state(task)).toBe(ended);
    expect(textOf(task.status?.message)).toMatch(said);
  });

  it('learns nothing of what an executor threw', async () => {
    const task = await sendForTask(wire.client, 'boom');
    expect(state(task)).toBe('FAILED');
    expect(JSON.stringify(task)).not.toContain('hunter2');
  });

  it('exchanges bytes and data as it is', async () => {
    const data = { $case: 'data' as const, value: { nested: [1, null, { ok: true }] } };
    const raw = { $case: 'raw' as const, value: Buffer.from([0, 255, 254]) };
    const plain = { metadata: undefined, filename: '', mediaType: '' };
    const task = await sendForTask(wire.client, 'bytes:100', {
      message: {
        parts: [
          textPart('bytes:100'),
          { ...plain, content: data, metadata: { kind: 'probe' } },
          { ...plain, content: raw, filename: 'dot.png', mediaType: 'image/png' },
        ],
      },
    });
    expect(task.history[0]?.parts.map(({ content }) => content)).toEqual([
      { $case: 'text', value: 'bytes:100' },
      data,
      raw,
    ]);
    expect(task.history[0]?.parts[1]?.metadata).toEqual({ kind: 'probe' });
    expect(task.history[0]?.parts[2]).toMatchObject({ filename: 'dot.png', mediaType: 'image/png' });
    expect(task.artifacts[0]?.parts.map(({ content }) => content)).toEqual([
      { $case: 'raw', value: Buffer.alloc(100) },
      { $case: 'data', value: { n: 100 } },
    ]);
  });
});
