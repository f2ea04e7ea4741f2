import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventQueue } from '../../lib/interfaces/event-queue.js';
import type { ExecutionOptions } from '../../lib/interfaces/module-options.js';
import {
  TaskLogClosedError,
  TaskLogFullError,
  TaskLogNotFoundError,
  type LogRecord,
  type QueueManager,
} from '../../lib/interfaces/queue-manager.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import type { TaskReader } from '../../lib/interfaces/task-reader.js';
import type { TaskRunner } from '../../lib/interfaces/task-runner.js';
import type { TaskHandle } from '../../lib/interfaces/task-updater.js';
import { UnavailableError } from '../../lib/protocol/errors.js';
import type { TaskState } from '../../lib/protocol/model.js';
import { isTerminal } from '../../lib/protocol/task-state.js';
import { getText } from '../../lib/protocol/text.js';
import { callOf, cancelCommand, messageCommand, originOf, unique } from './samples.js';

/** An agent as the suite writes it. */
export interface RunnerAgent {
  execute(context: RequestContext, eventQueue: EventQueue): Promise<void> | void;
  cancel?(context: RequestContext, eventQueue: EventQueue): Promise<void> | void;
}

/** One process that runs the agent. */
export interface Replica {
  readonly runner: TaskRunner;
  readonly reader: TaskReader;
  readonly handle: TaskHandle;
  readonly queue: QueueManager;
}

/** Two replicas over one set of logs, whose agent has the id `agent`. */
export interface TaskRunnerHost {
  readonly replicas: readonly [Replica, Replica];
  /** The one that runs what is started on the first: itself unless said otherwise. */
  readonly worker?: Replica;
  /** Shuts both down, and throws when something is left behind. */
  close(): Promise<void>;
}

export type TaskRunnerFactory = (agent: RunnerAgent, options: ExecutionOptions) => Promise<TaskRunnerHost>;

const GRACE = 100;
const OPTIONS: ExecutionOptions = {
  cancelGraceMs: GRACE,
  maxPendingMessages: 12,
  drainMs: 50,
  firstEventMs: 20,
};

/** What every TaskRunner promises. */
export function describeTaskRunner(name: string, factory: TaskRunnerFactory): void {
  describe(`TaskRunner: ${name}`, () => {
    let host: TaskRunnerHost | undefined;
    let a: Replica;
    let b: Replica;
    let worker: Replica;
    let id: string;

    beforeEach(() => {
      id = unique('task');
    });

    afterEach(async () => {
      const held = async (): Promise<unknown> => {
        const head = await a.queue.head(id);
        return head?.closed && head.holder;
      };
      await expect.poll(held, { timeout: 5_000 }).toBeFalsy();
      await host?.close();
      host = undefined;
    });

    const launch = async (
      execute: RunnerAgent['execute'],
      cancel?: RunnerAgent['cancel'],
      options: ExecutionOptions = {},
    ): Promise<void> => {
      host = await factory({ execute, ...(cancel && { cancel }) }, { ...OPTIONS, ...options });
      [a, b] = host.replicas;
      worker = host.worker ?? a;
    };
    const startOn = (replica: Replica, text = 'first'): Promise<number> =>
      replica.runner.start(id, originOf(), messageCommand(text, callOf()));
    const ended = async (taskId = id): Promise<void> =>
      expect
        .poll(async () => (await a.queue.head(taskId))?.closed, { timeout: 10_000, interval: 5 })
        .toBe(true);
    const runState = (state: string): Promise<void> =>
      expect
        .poll(async () => (await a.queue.head(id))?.runState, { timeout: 10_000, interval: 5 })
        .toBe(state);
    const records = (): Promise<readonly LogRecord[]> => a.queue.read(id, 0, 10_000);
    const states = async (): Promise<TaskState[]> =>
      (await records()).flatMap(({ event }) => {
        if (!event || 'error' in event) return [];
        return (event.statusUpdate ?? event.task)?.status.state ?? [];
      });
    const endings = async (): Promise<TaskState[]> => (await states()).filter(isTerminal);

    describe('start', () => {
      it('logs the command, runs the executor, and closes the log at the end', async () => {
        await launch(async ({ updater, userInput }) => {
          await updater.startWork();
          await updater.addArtifact(userInput);
          await updater.complete();
        });
        expect(await startOn(a)).toBe(1);
        await ended();
        expect(await states()).toEqual([
          'TASK_STATE_SUBMITTED',
          'TASK_STATE_WORKING',
          'TASK_STATE_COMPLETED',
        ]);
        const record = await b.reader.get(id, originOf());
        expect(getText(record!.task.artifacts![0]!)).toBe('first');
        await runState('ended');
      });

      it('refuses an id that is taken', async () => {
        await launch(({ updater }) => updater.requiresInput());
        await startOn(a);
        await expect(startOn(b)).rejects.toThrow();
      });
    });

    describe('send', () => {
      it('runs the executor for each message once, in the order of the log, never two at a time', async () => {
        let running = 0;
        let most = 0;
        const handled: string[] = [];
        await launch(async ({ updater, userInput }) => {
          most = Math.max(most, ++running);
          handled.push(userInput);
          await updater.startWork(userInput);
          await new Promise((resolve) => setTimeout(resolve, 2));
          running -= 1;
          if (userInput === 'last') await updater.complete();
          else await updater.requiresInput();
        });
        await startOn(a);
        await runState('parked');
        await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            (i % 2 ? a : b).runner.send(id, messageCommand(`${i}`, callOf())),
          ),
        );
        await expect.poll(() => handled.length, { timeout: 10_000 }).toBe(11);
        await runState('parked');
        await b.runner.send(id, messageCommand('last', callOf()));
        await ended();
        expect(most).toBe(1);
        const sent = (await records()).flatMap(({ command }) =>
          command?.kind === 'message' ? getText(command.message) : [],
        );
        expect(handled).toEqual(sent);
        const { history } = (await a.reader.get(id))!.task;
        const said = history!.filter(({ role }) => role === 'ROLE_USER').map((message) => getText(message));
        expect(said).toEqual(sent);
      });

      it('does not forget a message that comes while the run is about to park', async () => {
        await launch(async ({ updater, userInput }) => {
          await (userInput === 'last' ? updater.complete() : updater.requiresInput());
        });
        for (let round = 0; round < 20; round++) {
          id = unique('task');
          const started = startOn(a);
          await started;
          await expect.poll(() => a.reader.get(id), { interval: 1 }).toBeDefined();
          await b.runner.send(id, messageCommand('last', callOf()));
          await ended();
        }
      });

      it('is refused by a log that is closed, unknown or full', async () => {
        let release = (): void => {};
        const released = new Promise<void>((resolve) => (release = resolve));
        await launch(async ({ updater }) => {
          await updater.startWork();
          await released;
          await updater.complete();
        });
        const message = messageCommand('x', callOf());
        await expect(a.runner.send(id, message)).rejects.toThrow(TaskLogNotFoundError);
        await startOn(a);
        const sends = Array.from({ length: 20 }, () => b.runner.send(id, messageCommand('x', callOf())));
        const results = await Promise.allSettled(sends);
        const refused = results.filter((result) => result.status === 'rejected');
        // The first one may or may not be taken by then.
        expect([8, 9]).toContain(refused.length);
        for (const { reason } of refused) expect(reason).toBeInstanceOf(TaskLogFullError);
        release();
        await ended();
        await expect(b.runner.send(id, message)).rejects.toThrow(TaskLogClosedError);
      });

      it('to a detached task only joins the history', async () => {
        let runs = 0;
        await launch(async ({ updater }) => {
          runs += 1;
          await updater.startWork();
          updater.detach();
        });
        await startOn(a);
        await runState('detached');
        await b.runner.send(id, messageCommand('more', callOf()));
        await a.handle.for(id).complete();
        await ended();
        expect(runs).toBe(1);
        expect((await a.reader.get(id))!.task.history).toHaveLength(2);
      });
    });

    describe('poke', () => {
      it('has a message run that waits while nobody holds the lease', async () => {
        await launch(({ updater }) => updater.complete());
        await a.queue.create(id, originOf(), messageCommand('first', callOf()));
        await b.runner.poke(id);
        await ended();
        expect(await endings()).toEqual(['TASK_STATE_COMPLETED']);
      });

      it('changes nothing when there is nothing to do, or no such log', async () => {
        await launch(({ updater }) => updater.requiresInput());
        await a.runner.poke(unique('task'));
        await startOn(a);
        await runState('parked');
        const before = await records();
        await Promise.all([a.runner.poke(id), b.runner.poke(id)]);
        await runState('parked');
        expect(await records()).toEqual(before);
      });
    });

    describe('cancel', () => {
      it('aborts the signal of the run, in whichever process it is, and resolves when the log is closed', async () => {
        let aborts = 0;
        await launch(async ({ updater, signal }) => {
          signal.addEventListener('abort', () => (aborts += 1));
          await updater.startWork();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        });
        await startOn(a);
        await expect.poll(states).toContain('TASK_STATE_WORKING');
        await b.runner.cancel(id, cancelCommand());
        expect((await a.queue.head(id))!.closed).toBe(true);
        expect(await endings()).toEqual(['TASK_STATE_CANCELED']);
        expect(aborts).toBe(1);
      });

      it('lets the executor end the task in its own words', async () => {
        await launch(
          async ({ updater, signal }) => {
            await updater.startWork();
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            await new Promise((resolve) => setImmediate(resolve));
          },
          ({ updater }) => updater.cancel('Put back on the shelf'),
        );
        await startOn(a);
        await expect.poll(states).toContain('TASK_STATE_WORKING');
        await a.runner.cancel(id, cancelCommand());
        const { status } = (await a.reader.get(id))!.task;
        expect(status.state).toBe('TASK_STATE_CANCELED');
        expect(getText(status.message!)).toBe('Put back on the shelf');
      });

      it.each([
        ['throws', () => Promise.reject(new Error('cannot'))],
        ['never ends', () => new Promise<void>(() => {})],
      ])(
        'ends a task whose run ignores it and whose cancel() %s, when the grace is over',
        async (_, cancel) => {
          let late: unknown;
          let release = (): void => {};
          const released = new Promise<void>((resolve) => (release = resolve));
          await launch(async ({ updater }) => {
            await updater.startWork();
            await released;
            late = await updater.complete().catch((error: unknown) => error);
          }, cancel);
          await startOn(a);
          await expect.poll(states).toContain('TASK_STATE_WORKING');
          const begun = performance.now();
          await a.runner.cancel(id, cancelCommand());
          expect(performance.now() - begun).toBeGreaterThanOrEqual(GRACE - 5);
          expect(performance.now() - begun).toBeLessThan(GRACE + 900);
          release();
          await expect.poll(() => late).toMatchObject({ name: 'TaskEndedError' });
          expect(await endings()).toEqual(['TASK_STATE_CANCELED']);
        },
      );

      it.each(['parked', 'detached'] as const)('ends a %s task', async (state) => {
        await launch(async ({ updater }) => {
          await updater.requiresInput();
          if (state === 'detached') updater.detach();
        });
        await startOn(a);
        await runState(state);
        await b.runner.cancel(id, cancelCommand());
        expect(await endings()).toEqual(['TASK_STATE_CANCELED']);
      });

      it('ends a detached task whatever messages join it at the same time', async () => {
        await launch(async ({ updater }) => {
          await updater.startWork();
          updater.detach();
        });
        for (let round = 0; round < 10; round++) {
          id = unique('task');
          await startOn(a);
          await runState('detached');
          const more = (): Promise<unknown> =>
            b.runner.send(id, messageCommand('more', callOf())).catch((error: unknown) => error);
          await Promise.all([b.runner.cancel(id, cancelCommand()), more(), more()]);
          expect(await endings()).toEqual(['TASK_STATE_CANCELED']);
        }
      });

      it('is not lost when the run detaches at the same time', async () => {
        await launch(async ({ updater }) => {
          await updater.startWork();
          updater.detach();
        });
        for (let round = 0; round < 20; round++) {
          id = unique('task');
          await startOn(a);
          await expect.poll(() => a.reader.get(id), { interval: 1 }).toBeDefined();
          await b.runner.cancel(id, cancelCommand());
          expect(await endings()).toEqual(['TASK_STATE_CANCELED']);
        }
      });

      it('ends a queued task and shows what it was asked', async () => {
        let runs = 0;
        await launch(() => void (runs += 1));
        await a.queue.create(id, originOf(), messageCommand('first', callOf()));
        await b.runner.cancel(id, cancelCommand());
        const { task } = (await a.reader.get(id))!;
        expect(task.status.state).toBe('TASK_STATE_CANCELED');
        expect(task.history).toHaveLength(1);
        expect(runs).toBe(0);
      });

      it('takes the lease from a holder that does not answer', async () => {
        await launch(() => {});
        const foreign = { holder: 'a process that hangs', ttlMs: 60_000 };
        const lease = await a.queue.create(id, originOf(), messageCommand('first', callOf()), foreign);
        await b.runner.cancel(id, cancelCommand());
        expect(await endings()).toEqual(['TASK_STATE_CANCELED']);
        await expect(a.queue.append(lease!, [])).rejects.toThrow();
      });

      it('repeated at once ends the task once', async () => {
        await launch(async ({ updater, signal }) => {
          await updater.startWork();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        });
        await startOn(a);
        await expect.poll(states).toContain('TASK_STATE_WORKING');
        const cancels = Array.from({ length: 6 }, (_, i) =>
          (i % 2 ? a : b).runner.cancel(id, cancelCommand()),
        );
        for (const result of await Promise.allSettled(cancels))
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(TaskLogClosedError);
        expect(await endings()).toEqual(['TASK_STATE_CANCELED']);
      });

      it('is refused by a log that is closed or unknown', async () => {
        await launch(({ updater }) => updater.complete());
        await expect(a.runner.cancel(id, cancelCommand())).rejects.toThrow(TaskLogNotFoundError);
        await startOn(a);
        await ended();
        await expect(a.runner.cancel(id, cancelCommand())).rejects.toThrow(TaskLogClosedError);
        expect(await endings()).toEqual(['TASK_STATE_COMPLETED']);
      });

      it('in a race with complete() and failed() leaves one end, the first', async () => {
        await launch(async ({ updater, userInput }) => {
          await updater.startWork();
          for (let i = 0; i < Number(userInput) % 5; i++)
            await new Promise((resolve) => setImmediate(resolve));
          const results = await Promise.allSettled([updater.complete(), updater.failed()]);
          expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
        });
        const rounds = Array.from({ length: 500 }, (_, i) => ({ taskId: unique('task'), i }));
        const outcomes = new Set<string>();
        for (let at = 0; at < rounds.length; at += 25) {
          await Promise.all(
            rounds.slice(at, at + 25).map(async ({ taskId, i }) => {
              await a.runner.start(taskId, originOf(), messageCommand(`${i}`, callOf()));
              await b.runner.cancel(taskId, cancelCommand()).catch((error: unknown) => {
                if (!(error instanceof TaskLogClosedError)) throw error;
              });
            }),
          );
        }
        for (const { taskId } of rounds) {
          id = taskId;
          const [end, ...more] = await endings();
          expect(more).toEqual([]);
          expect((await b.reader.get(id))!.task.status.state).toBe(end);
          outcomes.add(end!);
        }
        expect(outcomes.size).toBeGreaterThan(0);
      }, 60_000);
    });

    describe('drain', () => {
      it('lets running tasks end, and accepts nothing more meanwhile', async () => {
        let release = (): void => {};
        const released = new Promise<void>((resolve) => (release = resolve));
        await launch(
          async ({ updater }) => {
            await updater.startWork();
            await released;
            await updater.complete();
          },
          undefined,
          { drainMs: 5_000 },
        );
        await startOn(a);
        await expect.poll(states).toContain('TASK_STATE_WORKING');
        const draining = worker.runner.drain();
        expect(worker.runner.accepting).toBe(false);
        const other = worker.runner.start(unique('task'), originOf(), messageCommand('x', callOf()));
        await expect(other).rejects.toThrow(UnavailableError);
        const more = worker.runner.send(id, messageCommand('x', callOf()));
        await expect(more).rejects.toThrow(UnavailableError);
        release();
        await draining;
        expect(await endings()).toEqual(['TASK_STATE_COMPLETED']);
        await worker.runner.drain();
      });

      it('ends what still runs as interrupted, and frees its lease', async () => {
        let aborts = 0;
        await launch(async ({ updater, signal }) => {
          signal.addEventListener('abort', () => (aborts += 1));
          await updater.startWork();
          await new Promise(() => {});
        });
        await startOn(a);
        await expect.poll(states).toContain('TASK_STATE_WORKING');
        await Promise.all([worker.runner.drain(), worker.runner.drain()]);
        const { status } = (await b.reader.get(id))!.task;
        expect(status.state).toBe('TASK_STATE_FAILED');
        expect(getText(status.message!)).toContain('interrupted');
        expect((await records()).at(-1)!.event).toMatchObject({
          statusUpdate: { metadata: { reason: 'interrupted' } },
        });
        expect((await b.queue.head(id))!.holder).toBeUndefined();
        expect(aborts).toBe(1);
      });

      it('leaves parked and detached tasks as they are', async () => {
        await launch(({ updater }) => updater.requiresInput());
        await startOn(a);
        await runState('parked');
        await worker.runner.drain();
        expect(await endings()).toEqual([]);
        await b.runner.cancel(id, cancelCommand());
      });
    });
  });
}
