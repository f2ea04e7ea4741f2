import { getText, TaskNotFoundError, type StreamResponse } from 'nest-a2a';
import type { A2AClient } from 'nest-a2a/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scripted, start, stop, type Running } from '../e2e/apps.js';
import { CLIENT_BINDINGS, clientOf, text } from './clients.js';

let running: Running;
let client: A2AClient;

beforeAll(async () => {
  running = await start('fastify', scripted());
});
afterAll(() => stop(running));

describe.each(CLIENT_BINDINGS)('the operations over %s', (binding) => {
  beforeEach(() => {
    client = clientOf(running.base, binding);
  });
  afterEach(() => client.close());

  it('sends a message and gets the task', async () => {
    const { task } = await client.sendMessage(text('quick'));
    expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(getText(task!.artifacts![0]!)).toBe('Hello, quick');
    expect(await client.getTask({ id: task!.id, historyLength: 0 })).toMatchObject({ id: task!.id });
  });

  it('streams', async () => {
    const events: StreamResponse[] = [];
    for await (const event of client.sendStreamingMessage(text('chunks:5'))) events.push(event);
    expect(events[0]?.task).toBeDefined();
    expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('throws what the agent says', async () => {
    await expect(client.getTask({ id: 'nobody' })).rejects.toBeInstanceOf(TaskNotFoundError);
  });
});
