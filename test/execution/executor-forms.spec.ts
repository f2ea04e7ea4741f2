import { Inject, Scope, type Type } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Observable, Subject, concat, interval, map, of, range, throwError } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import { Skill } from '../../lib/decorators/skill.decorator.js';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import type { ServerCallContext } from '../../lib/interfaces/server-call-context.js';
import { AgentError } from '../../lib/protocol/agent-error.js';
import { InvalidParamsError, TaskNotFoundError } from '../../lib/protocol/errors.js';
import { artifact, status } from '../../lib/protocol/events.js';
import { agentMessage } from '../../lib/protocol/messages.js';
import { getText } from '../../lib/protocol/text.js';
import { gate } from './writer-harness.js';
import {
  aborted,
  plainAgent,
  readToEnd,
  readUntil,
  requestOf,
  skillAgent,
  startAgent,
  statesOf,
  to,
  type AgentHost,
} from './agent-host.js';

let host: AgentHost;

async function start(agent: Type, options?: A2AModuleOptions): Promise<AgentHost> {
  host = await startAgent(agent, options);
  return host;
}

afterEach(async () => {
  await host.close();
  expect(host.queue.watchers).toBe(0);
});

const COMPLETED = { status: { state: 'TASK_STATE_COMPLETED' } };
const FAILED = { status: { state: 'TASK_STATE_FAILED' } };

describe('an executor that', () => {
  it('executes and completes', async () => {
    await start(
      plainAgent(async ({ updater, userInput }) => {
        await updater.startWork();
        await updater.addArtifact(`Hello, ${userInput}`);
        await updater.complete('Done');
      }),
    );
    const task = await host.send('you');
    expect(task).toMatchObject(COMPLETED);
    expect(getText(task.artifacts![0]!)).toBe('Hello, you');
    expect(task.history).toMatchObject([{ role: 'ROLE_USER', taskId: task.id, contextId: task.contextId }]);
    expect(await host.get(task.id)).toEqual(task);
    expect((await host.store.get(task.id))!.task).toEqual(task);
  });

  it.each([
    ['a string', () => 'Hello'],
    ['a promise of a string', async () => 'Hello'],
    ['a Message', () => agentMessage('Hello')],
    ['a promise of a Message', async () => agentMessage('Hello')],
  ])('returns %s answers with a Message, and no task is stored', async (_, handle) => {
    await start(skillAgent(handle));
    const { message } = await host.handler.sendMessage(requestOf('hi'), host.call);
    expect(getText(message!)).toBe('Hello');
    expect(message!.contextId).toBeDefined();
    expect(host.store.size).toBe(0);
    expect((await host.handler.listTasks({}, host.call)).tasks).toEqual([]);
  });

  it('streams a Message as the one event', async () => {
    await start(skillAgent(() => 'Hello'));
    const events = await readToEnd(await host.stream('hi'));
    expect(events).toHaveLength(1);
    expect(getText(events[0]!.event.message!)).toBe('Hello');
  });

  it('returns a Message after its task was published completes the task with it', async () => {
    const published = gate();
    await start(
      skillAgent(async () => {
        await published.opened;
        return 'Late';
      }),
      { execution: { immediateFirstEventMs: 1 } },
    );
    const task = await host.send('hi', { returnImmediately: true });
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_SUBMITTED' } });
    expect(await host.get(task.id)).toMatchObject({ id: task.id });
    const stream = await host.handler.subscribeToTask({ id: task.id }, host.call);
    expect(statesOf((await stream.read())!)).toEqual(['TASK_STATE_SUBMITTED']);
    published.open();
    expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_COMPLETED']);
    const { message } = (await host.get(task.id)).status;
    expect(message).toMatchObject({ taskId: task.id, role: 'ROLE_AGENT', parts: [{ text: 'Late' }] });
  });

  it('says nothing for long has its task published after firstEventMs', async () => {
    const go = gate();
    await start(
      plainAgent(async ({ updater }) => {
        await go.opened;
        await updater.complete();
      }),
      { execution: { firstEventMs: 20 } },
    );
    const stream = await host.stream('hi');
    const [first] = (await stream.read())!;
    expect(first!.event.task).toMatchObject({ status: { state: 'TASK_STATE_SUBMITTED' } });
    go.open();
    expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('answers with a Message and then emits an event fails nothing, and is told', async () => {
    let told: unknown;
    await start(
      plainAgent(async ({ updater }, queue) => {
        await queue.enqueueEvent(agentMessage('Answer'));
        told = await updater.startWork().catch((error: unknown) => error);
      }),
    );
    const { message } = await host.handler.sendMessage(requestOf('hi'), host.call);
    expect(getText(message!)).toBe('Answer');
    await expect.poll(() => told).toMatchObject({ name: 'TaskEndedError' });
  });

  it('emits task events and then a Message fails', async () => {
    await start(
      plainAgent(async ({ updater }, queue) => {
        await updater.startWork();
        await queue.enqueueEvent(agentMessage('Both'));
      }),
    );
    const task = await host.send('hi');
    expect(task).toMatchObject(FAILED);
    expect(getText(task.status.message!)).toContain('Message after');
  });

  describe('is a generator', () => {
    it('completes its task when it returns', async () => {
      await start(
        skillAgent(async function* () {
          yield status('TASK_STATE_WORKING', 'Looking');
          yield artifact('found', { name: 'result' });
        }),
      );
      const events = await readToEnd(await host.stream('hi'));
      expect(statesOf(events)).toEqual([
        'TASK_STATE_SUBMITTED',
        'TASK_STATE_WORKING',
        'TASK_STATE_COMPLETED',
      ]);
      expect(events[2]!.event.artifactUpdate).toMatchObject({
        lastChunk: true,
        artifact: { name: 'result' },
      });
    });

    it('yields strings as the chunks of one artifact, each at least one part', async () => {
      await start(
        skillAgent(async function* () {
          yield 'Hello';
          yield ', ';
          yield 'you';
        }),
      );
      const events = await readToEnd(await host.stream('hi'));
      const updates = events.flatMap(({ event }) => event.artifactUpdate ?? []);
      expect(new Set(updates.map(({ artifact: { artifactId } }) => artifactId)).size).toBe(1);
      expect(updates.map(({ append = false }) => append)).toEqual([false, true, true, true]);
      expect(updates.map(({ lastChunk = false }) => lastChunk)).toEqual([false, false, false, true]);
      for (const update of updates) expect(update.artifact.parts.length).toBeGreaterThan(0);
      const task = await host.get(events[0]!.event.task!.id);
      expect(getText(task.artifacts![0]!, '')).toBe('Hello, you');
    });

    it('parks its task when it yields INPUT_REQUIRED last', async () => {
      await start(
        skillAgent(async function* ({ task }) {
          if (task) yield 'Thanks';
          else yield status('TASK_STATE_INPUT_REQUIRED', 'Which one?');
        }),
      );
      const task = await host.send('hi');
      expect(task).toMatchObject({ status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
      const done = await host.send(to(task.id, 'that one'));
      expect(done).toMatchObject({ id: task.id, ...COMPLETED });
      expect(done.history!.map((message) => getText(message))).toEqual(['hi', 'Which one?', 'that one']);
    });

    it('returns a Message after having yielded nothing answers with it', async () => {
      await start(
        // eslint-disable-next-line require-yield
        skillAgent(async function* () {
          return agentMessage('Only this') as never;
        }),
      );
      const { message } = await host.handler.sendMessage(requestOf('hi'), host.call);
      expect(getText(message!)).toBe('Only this');
    });

    it('runs its finally blocks when its task is canceled', async () => {
      const finished = gate();
      await start(
        skillAgent(async function* (context) {
          try {
            yield status('TASK_STATE_WORKING');
            await aborted(context);
          } finally {
            finished.open();
          }
        }),
      );
      const stream = await host.stream('hi');
      const [first] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
      expect(await host.cancel(first!.event.task!.id)).toMatchObject({
        status: { state: 'TASK_STATE_CANCELED' },
      });
      await finished.opened;
      expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_CANCELED']);
    });

    it('runs its finally blocks when it is canceled between two yields and knows of no signal', async () => {
      const finished = gate();
      await start(
        skillAgent(async function* () {
          try {
            for (;;) {
              yield 'tick';
              await new Promise((resolve) => setTimeout(resolve, 5));
            }
          } finally {
            finished.open();
          }
        }),
      );
      const stream = await host.stream('hi');
      const [first] = await readUntil(stream, (event) => event.artifactUpdate !== undefined);
      await host.cancel(first!.event.task!.id);
      await finished.opened;
      expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_CANCELED']);
    });

    it('runs its finally blocks when it completes its task itself and goes on', async () => {
      const finished = gate();
      await start(
        skillAgent(async function* () {
          try {
            yield status('TASK_STATE_COMPLETED');
            yield artifact('late');
          } finally {
            finished.open();
          }
        }),
      );
      expect(await host.send('hi')).toMatchObject(COMPLETED);
      await finished.opened;
    });
  });

  describe('returns an Observable', () => {
    it('completes its task when the Observable does', async () => {
      await start(skillAgent(() => of(status('TASK_STATE_WORKING'), artifact('found'))));
      const task = await host.send('hi');
      expect(task).toMatchObject(COMPLETED);
      expect(task.artifacts).toMatchObject([{ parts: [{ text: 'found' }] }]);
    });

    it('fails its task when the Observable fails, after what came before', async () => {
      await start(
        skillAgent(() =>
          concat(
            of(artifact('found')),
            throwError(() => new AgentError('Out of stock')),
          ),
        ),
      );
      const task = await host.send('hi');
      expect(task).toMatchObject(FAILED);
      expect(task.artifacts).toHaveLength(1);
      expect(getText(task.status.message!)).toBe('Out of stock');
    });

    it('fails its task when it is too far ahead of the log', async () => {
      await start(
        skillAgent(() => range(0, 100).pipe(map(() => artifact('x')))),
        { execution: { observableBuffer: 10 } },
      );
      expect(await host.send('hi')).toMatchObject(FAILED);
      expect(host.log.lines.some(({ level }) => level === 'error')).toBe(true);
    });

    it('is stopped when it is too far ahead and would never end', async () => {
      let emitted = 0;
      const endless = new Observable<string>((subscriber) => {
        while (!subscriber.closed && emitted < 1_000) subscriber.next(`${emitted++}`);
      });
      await start(
        skillAgent(() => endless),
        { execution: { observableBuffer: 10 } },
      );
      expect(await host.send('hi')).toMatchObject(FAILED);
      expect(emitted).toBeLessThan(20);
    });

    it('is unsubscribed from early when its task is canceled', async () => {
      const left = gate();
      await start(
        skillAgent(
          () =>
            new Observable<string>((subscriber) => {
              const ticks = interval(2).subscribe(() => subscriber.next('tick'));
              return () => {
                ticks.unsubscribe();
                left.open();
              };
            }),
        ),
      );
      const stream = await host.stream('hi');
      const [first] = await readUntil(stream, (event) => event.artifactUpdate !== undefined);
      await host.cancel(first!.event.task!.id);
      await left.opened;
      expect(statesOf(await readToEnd(stream))).toEqual(['TASK_STATE_CANCELED']);
    });

    it('is not waited for when it is silent and its task is canceled', async () => {
      const silent = new Subject<string>();
      await start(
        skillAgent(() => silent),
        { execution: { immediateFirstEventMs: 1 } },
      );
      const { id } = await host.send('hi', { returnImmediately: true });
      await host.cancel(id);
      expect(silent.observed).toBe(false);
    });
  });

  describe('fails', () => {
    it('with a text of its own tells it', async () => {
      await start(
        plainAgent(async ({ updater }) => {
          await updater.startWork();
          throw new AgentError('The order number is missing', { cause: new Error('secret') });
        }),
      );
      const task = await host.send('hi');
      expect(task).toMatchObject(FAILED);
      expect(task.status.message!.parts).toEqual([{ text: 'The order number is missing' }]);
    });

    it('with a text of its own before its task is published fails the task, too', async () => {
      await start(
        plainAgent(() => {
          throw new AgentError('No');
        }),
      );
      const task = await host.send('hi');
      expect(task).toMatchObject(FAILED);
      expect(getText(task.status.message!)).toBe('No');
    });

    it('with any other error hides it behind a reference, under which it is logged', async () => {
      await start(
        plainAgent(async () => {
          throw new Error('db password=hunter2');
        }),
      );
      const task = await host.send('hi');
      expect(task).toMatchObject(FAILED);
      expect(JSON.stringify(task)).not.toContain('hunter2');
      const reference = /reference ([0-9a-f-]{36})/.exec(getText(task.status.message!))![1]!;
      const line = host.log.lines.find(({ text }) => text.includes(reference));
      expect(line).toMatchObject({ level: 'error' });
    });

    it('with an A2AError before its task is published answers with that error and stores nothing', async () => {
      await start(
        plainAgent(async () => {
          throw new InvalidParamsError([{ field: 'message.parts[0]', description: 'must be a number' }]);
        }),
      );
      const error = await host.handler.sendMessage(requestOf('hi'), host.call).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(InvalidParamsError);
      expect(JSON.stringify((error as InvalidParamsError).details)).toContain('must be a number');
      await expect((await host.stream('hi')).read()).rejects.toThrow(InvalidParamsError);
      expect(host.store.size).toBe(0);
      expect((await host.handler.listTasks({}, host.call)).totalSize).toBe(0);
    });

    it('with an A2AError later fails the task with its text', async () => {
      await start(
        plainAgent(async ({ updater }) => {
          await updater.startWork();
          throw new TaskNotFoundError('There is no such order');
        }),
      );
      const task = await host.send('hi');
      expect(task).toMatchObject(FAILED);
      expect(getText(task.status.message!)).toBe('There is no such order');
    });

    it('to end its task', async () => {
      await start(plainAgent(({ updater }) => updater.startWork()));
      const task = await host.send('hi');
      expect(task).toMatchObject(FAILED);
      expect(getText(task.status.message!)).toContain('without ending');
    });

    it('to emit anything at all', async () => {
      await start(plainAgent(() => {}));
      expect(await host.send('hi')).toMatchObject(FAILED);
    });

    it.each([
      ['an event of another task', { taskId: 'another', status: { state: 'TASK_STATE_WORKING' } }],
      ['an unknown state', { status: { state: 'TASK_STATE_DANCING' } }],
      ['no event at all', { nothing: true }],
      ['AUTH_REQUIRED without a message', { status: { state: 'TASK_STATE_AUTH_REQUIRED' } }],
    ])('with %s', async (_, emission) => {
      await start(
        plainAgent(async ({ updater }, queue) => {
          await updater.startWork();
          await queue.enqueueEvent(emission as never);
        }),
      );
      const task = await host.send('hi');
      expect(task).toMatchObject(FAILED);
      expect(getText(task.status.message!)).toContain('The agent');
    });

    it('in its constructor', async () => {
      @AgentExecutor({ name: 'Broken', description: 'Broken', version: '1', scope: Scope.REQUEST })
      @Skill({ id: 's', name: 's', description: 's', tags: ['test'] })
      class BrokenAgent {
        constructor() {
          throw new Error('no database');
        }
        execute(): void {}
      }
      await start(BrokenAgent);
      const task = await host.send('hi');
      expect(task).toMatchObject(FAILED);
      expect(JSON.stringify(task)).not.toContain('no database');
    });
  });

  it('does not wait for its events brings nobody down when its task ends before them', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      await start(
        plainAgent(async ({ updater }, queue) => {
          const text = updater.artifact();
          void updater.complete();
          void updater.startWork();
          void text.write('late');
          void updater.addArtifact('late');
          void queue.enqueueEvent(status('TASK_STATE_WORKING'));
        }),
      );
      expect(await host.send('hi')).toMatchObject(COMPLETED);
      await new Promise((resolve) => setTimeout(resolve, 10));
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(unhandled).toEqual([]);
  });

  it('changes an object that it has emitted changes nothing that was logged', async () => {
    await start(
      plainAgent(async ({ updater, taskId, contextId, message }, queue) => {
        const task = {
          id: taskId,
          contextId,
          status: { state: 'TASK_STATE_WORKING' as const, timestamp: '' as string | undefined },
          history: [message],
          artifacts: [{ artifactId: 'a', parts: [{ text: 'one' }] }],
        };
        delete task.status.timestamp;
        await queue.enqueueEvent(task as never);
        task.history.push(message);
        task.artifacts[0]!.parts.push({ text: 'two' });
        const part = { text: 'before' };
        const parts = [part];
        await queue.enqueueEvent({ artifact: { artifactId: 'b', parts } } as never);
        parts.push({ text: 'more' });
        await updater.complete();
      }),
    );
    const events = await readToEnd(await host.stream('hi'));
    expect(events[0]!.event.task!.history).toHaveLength(1);
    expect(events[0]!.event.task!.artifacts![0]!.parts).toEqual([{ text: 'one' }]);
    expect(events[1]!.event.artifactUpdate!.artifact.parts).toEqual([{ text: 'before' }]);
  });

  it('is request-scoped gets the call as REQUEST, and one instance per run, cancel() included', async () => {
    const seen: unknown[] = [];
    const instances: object[] = [];
    @Skill({ id: 's', name: 's', description: 's', tags: ['test'] })
    @AgentExecutor({ name: 'Scoped', description: 'Scoped', version: '1', scope: Scope.REQUEST })
    class ScopedAgent {
      constructor(@Inject(REQUEST) readonly request: ServerCallContext) {}
      async execute(context: RequestContext): Promise<void> {
        seen.push(this.request);
        instances.push(this);
        await context.updater.startWork();
        await aborted(context);
      }
      cancel(): void {
        instances.push(this);
      }
    }
    await start(ScopedAgent);
    const stream = await host.stream('hi');
    const [first] = await readUntil(stream, (event) => event.statusUpdate !== undefined);
    stream.close();
    await host.cancel(first!.event.task!.id);
    expect(seen).toMatchObject([{ agent: 'agent', user: null, operation: 'SendMessage' }]);
    expect(instances).toHaveLength(2);
    expect(instances[0]).toBe(instances[1]);
  });
});
