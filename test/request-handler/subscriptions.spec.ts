import { afterEach, describe, expect, it } from 'vitest';
import type { EventStream } from '../../lib/interfaces/task-reader.js';
import { TaskNotFoundError, UnsupportedOperationError } from '../../lib/protocol/errors.js';
import {
  plainAgent,
  readToEnd,
  readUntil,
  startAgent,
  statesOf,
  to,
  type AgentHost,
} from '../execution/agent-host.js';
import { gate } from '../execution/writer-harness.js';

let host: AgentHost;
let go: ReturnType<typeof gate>;

/** `work` waits in the middle, `park` asks, everything else completes. */
async function start(): Promise<void> {
  go = gate();
  host = await startAgent(
    plainAgent(async ({ updater, userInput }) => {
      await updater.startWork();
      if (userInput === 'park') return updater.requiresInput();
      if (userInput === 'work') await go.opened;
      await updater.addArtifact('result');
      return updater.complete();
    }),
  );
}

afterEach(async () => {
  await host.close();
  expect(host.queue.watchers).toBe(0);
});

const subscribe = (id: string, lastEventId?: number): Promise<EventStream> =>
  host.handler.subscribeToTask({ id }, host.call, lastEventId);

async function startWorking(): Promise<{ readonly id: string; readonly working: number }> {
  const stream = await host.stream('work');
  const events = await readUntil(stream, (event) => event.statusUpdate !== undefined);
  stream.close();
  return { id: events[0]!.event.task!.id, working: events.at(-1)!.sequence };
}

describe('SubscribeToTask', () => {
  it('opens with the task as it is', async () => {
    await start();
    const { id, working } = await startWorking();
    const stream = await subscribe(id);
    expect(await stream.read()).toMatchObject([
      { sequence: working, event: { task: { status: { state: 'TASK_STATE_WORKING' } } } },
    ]);
    go.open();
    expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('is refused for an ended task and for one that is not the caller’s', async () => {
    await start();
    const { id } = await host.send('done');
    await expect(subscribe(id)).rejects.toThrow(UnsupportedOperationError);
    await expect(subscribe('unknown')).rejects.toThrow(TaskNotFoundError);
    const another = { ...host.call, user: { id: 'another' } };
    await expect(host.handler.subscribeToTask({ id }, another)).rejects.toThrow(TaskNotFoundError);
    await expect(host.handler.subscribeToTask({ id }, another, 1)).rejects.toThrow(TaskNotFoundError);
  });

  it('of a parked task stays open until the next pause', async () => {
    await start();
    const { id } = await host.send('park');
    const stream = await subscribe(id);
    expect(statesOf((await stream.read())!)).toEqual(['TASK_STATE_INPUT_REQUIRED']);
    await host.send(to(id, 'park'));
    expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
  });

  describe('with a Last-Event-ID', () => {
    it('goes on exactly after that number, whatever was missed', async () => {
      await start();
      const stream = await host.stream('done');
      const all = await readToEnd(stream);
      const { id } = all[0]!.event.task!;
      for (const [i, { sequence }] of all.entries()) {
        const missed = all.slice(i + 1);
        if (missed.length > 0) expect(await readToEnd(await subscribe(id, sequence))).toEqual(missed);
        else await expect(subscribe(id, sequence)).rejects.toThrow(UnsupportedOperationError);
      }
      expect(await readToEnd(await subscribe(id, 0))).toEqual(all);
    });

    it('of a live task waits for what follows', async () => {
      await start();
      const { id, working } = await startWorking();
      const stream = await subscribe(id, working);
      const next = stream.read();
      go.open();
      const events = [...(await next)!, ...(await readToEnd(stream))];
      expect(events[0]!.event.artifactUpdate).toBeDefined();
      expect(statesOf(events)).toEqual(['TASK_STATE_COMPLETED']);
    });

    it('of a pause stays open', async () => {
      await start();
      const { id } = await host.send('park');
      const { sequence } = (await host.queue.head(id))!;
      const stream = await subscribe(id, sequence);
      const next = stream.read();
      await host.send(to(id, 'done'));
      const events = [...(await next)!, ...(await readToEnd(stream))];
      expect(statesOf(events)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    });

    it('that is none of this log opens with the task', async () => {
      await start();
      const { id } = await startWorking();
      for (const number of [1_000, -5]) {
        const stream = await subscribe(id, number);
        expect((await stream.read())![0]!.event.task).toMatchObject({ id });
        stream.close();
      }
      go.open();
    });

    it('of a task whose log is gone opens with the task, and ends', async () => {
      await start();
      const { id } = await host.send('done');
      await expect.poll(async () => (await host.queue.head(id))!.holder).toBeUndefined();
      await host.queue.remove(id);
      const events = await readToEnd(await subscribe(id, 2));
      expect(events).toMatchObject([{ event: { task: { id, status: { state: 'TASK_STATE_COMPLETED' } } } }]);
      await expect(subscribe(id, events[0]!.sequence)).rejects.toThrow(UnsupportedOperationError);
    });
  });
});
