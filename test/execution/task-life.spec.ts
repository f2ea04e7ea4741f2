import { firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { Expiry } from '../../lib/execution/expiry.js';
import { Retention } from '../../lib/execution/retention.js';
import { TaskEndedError } from '../../lib/interfaces/event-queue.js';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import { TaskEvents } from '../../lib/interfaces/task-reader.js';
import { TaskHandle } from '../../lib/interfaces/task-updater.js';
import {
  TaskNotCancelableError,
  TaskNotFoundError,
  UnavailableError,
  UnsupportedOperationError,
} from '../../lib/protocol/errors.js';
import { getText } from '../../lib/protocol/text.js';
import {
  plainAgent,
  readToEnd,
  readUntil,
  requestOf,
  startAgent,
  statesOf,
  to,
  type AgentHost,
} from './agent-host.js';
import { gate } from './writer-harness.js';

let host: AgentHost;

async function start(
  execute: Parameters<typeof plainAgent>[0],
  options: A2AModuleOptions = {},
): Promise<AgentHost> {
  host = await startAgent(plainAgent(execute), options);
  return host;
}

afterEach(async () => {
  await host.close();
  expect(host.queue.watchers).toBe(0);
});

const inState = (state: string): object => ({ status: { state } });

describe('follow-ups', () => {
  it('continue the task, whose contextId they need not name; round by round', async () => {
    await start(async ({ updater, userInput, task }) => {
      if (userInput === 'done') return updater.complete();
      return updater.requiresInput(`${task?.history?.length ?? 0}`);
    });
    const first = await host.send('one');
    expect(first).toMatchObject(inState('TASK_STATE_INPUT_REQUIRED'));
    const second = await host.send(to(first.id, 'two'));
    expect(second).toMatchObject({ id: first.id, contextId: first.contextId });
    const third = await host.send(to(first.id, 'done'));
    expect(third).toMatchObject({ id: first.id, ...inState('TASK_STATE_COMPLETED') });
    expect(third.history!.map((message) => getText(message))).toEqual(['one', '0', 'two', '3', 'done']);
  });

  it('that come at once are answered each by its own run, in one order, and stand once in the history', async () => {
    let running = 0;
    await start(async ({ updater, userInput }) => {
      expect(++running).toBe(1);
      await updater.startWork();
      running -= 1;
      await updater.requiresInput(`Answer to ${userInput}`);
    });
    const { id } = await host.send('first');
    const texts = Array.from({ length: 10 }, (_, i) => `m${i}`);
    const answers = await Promise.all(texts.map((text) => host.send(to(id, text))));
    for (const [i, answer] of answers.entries()) {
      expect(answer).toMatchObject(inState('TASK_STATE_INPUT_REQUIRED'));
      const said = [...answer.history!, answer.status.message!].map((message) => getText(message));
      expect(said).toContain(`Answer to ${texts[i]}`);
    }
    const { history } = await host.get(id);
    const sent = history!.filter(({ role }) => role === 'ROLE_USER').map((message) => getText(message));
    expect(sent.toSorted()).toEqual(['first', ...texts].toSorted());
  });

  it('are bounded while the task works', async () => {
    const go = gate();
    await start(
      async ({ updater }) => {
        await updater.startWork();
        await go.opened;
        await updater.complete();
      },
      { execution: { maxPendingMessages: 2 } },
    );
    const stream = await host.stream('first');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    const { id } = opening!.event.task!;
    const waiting = [host.send(to(id, 'a')), host.send(to(id, 'b'))];
    await expect(host.send(to(id, 'c'))).rejects.toThrow(/busy/);
    go.open();
    for (const answer of await Promise.all(waiting))
      expect(answer).toMatchObject(inState('TASK_STATE_COMPLETED'));
    await readToEnd(stream);
    expect(JSON.stringify((await host.get(id)).history)).not.toContain('"c"');
  });

  it('to an ended task are refused with the way on, and leave nothing', async () => {
    await start(({ updater }) => updater.complete());
    const task = await host.send('first');
    const refused = host.send(to(task.id, 'more'));
    await expect(refused).rejects.toThrow(UnsupportedOperationError);
    await expect(refused).rejects.toThrow(task.contextId!);
    expect(await host.get(task.id)).toEqual(task);
  });

  it('to an unknown task, or in another context, are refused and run nothing', async () => {
    let runs = 0;
    await start(({ updater }) => {
      runs += 1;
      return updater.requiresInput();
    });
    await expect(host.send(to('unknown', 'x'))).rejects.toThrow(TaskNotFoundError);
    const { id } = await host.send('first');
    const elsewhere = { ...to(id, 'x'), contextId: 'another' };
    await expect(host.send(elsewhere)).rejects.toThrow(/message\.contextId|parameter/i);
    expect(runs).toBe(1);
    expect(host.queue.size).toBe(1);
  });

  it('sent while the task completes are either part of it or refused', async () => {
    await start(async ({ updater }) => {
      await updater.startWork();
      await updater.complete();
    });
    for (let round = 0; round < 50; round++) {
      const { id } = await host.send('first', { returnImmediately: true });
      const outcome = await host.send(to(id, 'late')).catch((error: unknown) => error);
      const { history, status } = await host.get(id);
      expect(status.state).toBe('TASK_STATE_COMPLETED');
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(UnsupportedOperationError);
        expect(outcome.message).not.toContain('WORKING');
        expect(history).toHaveLength(1);
      } else expect(history).toHaveLength(2);
    }
  });

  it('stream from their own run on, and end at its pause', async () => {
    await start(async ({ updater, userInput }) => {
      await updater.startWork();
      await updater.requiresInput(userInput);
    });
    const { id } = await host.send('first');
    const events = await readToEnd(await host.stream(to(id, 'second')));
    expect(events[0]!.event.task).toMatchObject({ id });
    expect(statesOf(events).at(-1)).toBe('TASK_STATE_INPUT_REQUIRED');
    const last = events.at(-1)!.event;
    expect(getText((last.statusUpdate ?? last.task)!.status.message!)).toBe('second');
  });
});

describe('cancel', () => {
  it('of an ended task is an error, of a canceled one the task again', async () => {
    await start(async ({ updater, userInput }) => {
      await (userInput === 'park' ? updater.requiresInput() : updater.complete());
    });
    const done = await host.send('done');
    await expect(host.cancel(done.id)).rejects.toThrow(TaskNotCancelableError);
    await expect(host.cancel('unknown')).rejects.toThrow(TaskNotFoundError);
    const { id } = await host.send('park');
    const canceled = await host.cancel(id);
    expect(canceled).toMatchObject(inState('TASK_STATE_CANCELED'));
    expect(await host.cancel(id)).toEqual(canceled);
  });
});

describe('a detached task', () => {
  const detaching = async (): Promise<string> => {
    await start(async ({ updater }) => {
      await updater.startWork();
      updater.detach();
    });
    const stream = await host.stream('first');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    stream.close();
    const { id } = opening!.event.task!;
    await expect.poll(async () => (await host.queue.head(id))!.runState).toBe('detached');
    return id;
  };

  it('goes on through its handle, and subscribers see it', async () => {
    const id = await detaching();
    const stream = await host.handler.subscribeToTask({ id }, host.call);
    await stream.read();
    const handle = host.module.get(TaskHandle, { strict: false }).for(id);
    const text = handle.artifact({ name: 'report' });
    await text.write('one ');
    await text.write('two');
    await text.close();
    await handle.complete('Done');
    const events = await readToEnd(stream);
    expect(statesOf(events)).toEqual(['TASK_STATE_COMPLETED']);
    const task = await host.get(id);
    expect(getText(task.artifacts![0]!, '')).toBe('one two');
    expect((await host.store.get(id))!.task).toEqual(task);
    await expect(handle.complete()).rejects.toThrow(TaskEndedError);
  });

  it('stays detached after an update, and takes many updates at once in order', async () => {
    const id = await detaching();
    const handle = host.module.get(TaskHandle, { strict: false }).for(id);
    await Promise.all(Array.from({ length: 20 }, (_, i) => handle.startWork(`${i}`)));
    expect(await host.queue.head(id)).toMatchObject({ runState: 'detached' });
    const { history, status } = await host.get(id);
    const said = [...history!, status.message!].map((message) => getText(message)).slice(1);
    expect(said).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`));
    await handle.complete();
  });

  it('is updated by several at once, each event once', async () => {
    const id = await detaching();
    const handles = host.module.get(TaskHandle, { strict: false });
    await Promise.all(Array.from({ length: 20 }, (_, i) => handles.for(id).addArtifact(`${i}`)));
    expect((await host.get(id)).artifacts).toHaveLength(20);
    await handles.for(id).complete();
  });

  it('that has ended is told so also before its snapshot is saved', async () => {
    const id = await detaching();
    const handle = host.module.get(TaskHandle, { strict: false }).for(id);
    await handle.complete();
    await host.store.delete(id);
    await expect(handle.complete()).rejects.toThrow(TaskEndedError);
  });

  it('of an unknown id is told of', async () => {
    await start(() => {});
    const handle = host.module.get(TaskHandle, { strict: false }).for('unknown');
    await expect(handle.complete()).rejects.toThrow(TaskNotFoundError);
    await expect(handle.flush()).rejects.toThrow(TaskNotFoundError);
  });
});

describe('a parked task', () => {
  it('that a handle updates stays parked, and the next message still runs', async () => {
    await start(({ updater, userInput }) =>
      userInput === 'done' ? updater.complete() : updater.requiresInput(),
    );
    const { id } = await host.send('first');
    const handle = host.module.get(TaskHandle, { strict: false }).for(id);
    // While the run gives its lease back, too.
    await Promise.all([handle.addArtifact('news'), handle.addArtifact('more news')]);
    await expect.poll(async () => (await host.queue.head(id))!.runState).toBe('parked');
    const done = await host.send(to(id, 'done'));
    expect(done).toMatchObject(inState('TASK_STATE_COMPLETED'));
    expect(done.artifacts).toHaveLength(2);
  });
});

describe('TaskEvents', () => {
  it('is cold: each subscription reads for itself, from the task as it is to its end', async () => {
    const go = gate();
    await start(async ({ updater }) => {
      await updater.startWork();
      await go.opened;
      await updater.complete();
    });
    const stream = await host.stream('first');
    const [opening] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    stream.close();
    const events = host.module.get(TaskEvents, { strict: false }).observe(opening!.event.task!.id);
    expect(host.queue.watchers).toBe(1);
    const all = [lastValueFrom(events.pipe(toArray())), lastValueFrom(events.pipe(toArray()))];
    expect(await firstValueFrom(events)).toMatchObject({ task: inState('TASK_STATE_WORKING') });
    go.open();
    for (const seen of await Promise.all(all))
      expect(seen.map((event) => (event.statusUpdate ?? event.task)!.status.state)).toEqual([
        'TASK_STATE_WORKING',
        'TASK_STATE_COMPLETED',
      ]);
  });

  it('leaves nothing behind when it is unsubscribed from', async () => {
    await start(({ updater }) => updater.requiresInput());
    const { id } = await host.send('first');
    await expect.poll(() => host.queue.watchers).toBe(0);
    const subscription = host.module.get(TaskEvents, { strict: false }).observe(id).subscribe();
    expect(host.queue.watchers).toBe(1);
    subscription.unsubscribe();
    expect(host.queue.watchers).toBe(0);
    expect(await host.get(id)).toMatchObject(inState('TASK_STATE_INPUT_REQUIRED'));
  });

  it('fails for an unknown task', async () => {
    await start(() => {});
    const events = host.module.get(TaskEvents, { strict: false }).observe('unknown');
    await expect(firstValueFrom(events)).rejects.toThrow(TaskNotFoundError);
  });
});

describe('at shutdown', () => {
  it('sends are refused, and what still runs after the drain time is interrupted', async () => {
    await start(
      async ({ updater }) => {
        await updater.startWork();
        await new Promise(() => {});
      },
      { execution: { drainMs: 20 } },
    );
    const stream = await host.stream('first');
    await readUntil(stream, (event) => event.statusUpdate !== undefined);
    const closing = host.module.close();
    await expect
      .poll(() => host.handler.sendMessage(requestOf('x'), host.call).catch((e: unknown) => e))
      .toBeInstanceOf(UnavailableError);
    const events = await readToEnd(stream);
    expect(events.at(-1)!.event.statusUpdate).toMatchObject({
      status: { state: 'TASK_STATE_FAILED' },
      metadata: { reason: 'interrupted' },
    });
    await closing;
  });
});

describe('retention', () => {
  it('forgets finished tasks above the cap with their logs, live ones never', async () => {
    await start(
      ({ updater, userInput }) => (userInput === 'park' ? updater.requiresInput() : updater.complete()),
      {
        retention: { maxFinished: 3 },
      },
    );
    const live = await host.send('park');
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push((await host.send('done')).id);
    await host.module.get(Retention, { strict: false }).prune();
    expect(host.store.size).toBe(4);
    expect(host.queue.size).toBe(4);
    await expect(host.get(ids[0]!)).rejects.toThrow(TaskNotFoundError);
    await expect(host.handler.subscribeToTask({ id: ids[0]! }, host.call)).rejects.toThrow(TaskNotFoundError);
    expect(await host.get(ids[7]!)).toMatchObject(inState('TASK_STATE_COMPLETED'));
    expect(await host.get(live.id)).toMatchObject(inState('TASK_STATE_INPUT_REQUIRED'));
  });

  it('forgets logs before tasks, and tasks that are too old', async () => {
    await start(({ updater }) => updater.complete(), {
      retention: { finishedLogTtlMs: 1_000, finishedTtlMs: 10_000 },
    });
    const { id } = await host.send('done');
    const retention = host.module.get(Retention, { strict: false });
    await retention.prune(Date.now() + 5_000);
    expect(host.queue.size).toBe(0);
    expect(await host.get(id)).toMatchObject(inState('TASK_STATE_COMPLETED'));
    await retention.prune(Date.now() + 20_000);
    expect(host.store.size).toBe(0);
  });

  it.each([0, Infinity])('keeps for ever when told so, by %d', async (ttlMs) => {
    await start(({ updater }) => updater.complete(), {
      retention: { finishedLogTtlMs: ttlMs, finishedTtlMs: ttlMs, maxFinished: 0 },
    });
    await host.send('done');
    await host.module.get(Retention, { strict: false }).prune(Date.now() + 1e12);
    expect([host.store.size, host.queue.size]).toEqual([1, 1]);
  });

  it('forgets the logs of messages that made no task', async () => {
    await start(() => 'Hello', { retention: { finishedLogTtlMs: 1_000 } });
    await host.handler.sendMessage(requestOf('hi'), host.call);
    expect(host.queue.size).toBe(1);
    await host.module.get(Retention, { strict: false }).prune(Date.now() + 5_000);
    expect(host.queue.size).toBe(0);
  });

  it('gives up live tasks that nothing happened to, and not those that work', async () => {
    const go = gate();
    await start(
      async ({ updater, userInput }) => {
        if (userInput === 'park') return updater.requiresInput();
        if (userInput === 'detach') {
          await updater.startWork();
          return updater.detach();
        }
        await updater.startWork();
        await go.opened;
        return updater.complete();
      },
      { execution: { immediateFirstEventMs: 1 }, retention: { maxAgeMs: 1_000 } },
    );
    const parked = await host.send('park');
    const detached = await host.send('detach', { returnImmediately: true });
    const working = await host.send('work', { returnImmediately: true });
    await expect.poll(async () => (await host.queue.head(detached.id))!.runState).toBe('detached');
    await host.module.get(Expiry, { strict: false }).expire(Date.now() + 5_000);
    for (const { id } of [parked, detached]) {
      const { status } = await host.get(id);
      expect(status.state).toBe('TASK_STATE_FAILED');
      expect(getText(status.message!)).toContain('expired');
    }
    expect(await host.get(working.id)).toMatchObject(inState('TASK_STATE_WORKING'));
    go.open();
  });
});
