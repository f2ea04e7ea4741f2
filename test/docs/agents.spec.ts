import {
  AgentExecutor,
  agentMessage,
  getText,
  InvalidParamsError,
  Skill,
  status,
  type EventQueue,
  type RequestContext,
  type ServerCallContext,
} from 'nest-a2a';
import { Inject, NotFoundException, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { interval, map } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { M } from '../support/message.js';
import { rpc, rpcStream } from '../support/rpc.js';
import { readEvents } from '../support/sse.js';
import { agentModule } from './agent-module.js';
import { PLATFORMS, serve } from './serve.js';
import { exportsOf } from './snippets.js';

const AGENT = { name: 'Test', description: 'Does what the guide says', version: '1.0.0' };
const SKILL = { id: 'do', name: 'Do', description: 'Does it', tags: ['test'] };
const skillId = (id: string) => ({ message: { metadata: { skillId: id } } });

const send = async (base: string, text: string, extra = {}, headers = {}) =>
  (await rpc(base, 'SendMessage', M(text, extra), headers)).body;

describe.each(PLATFORMS)('the guide to agents, on %s', (platform) => {
  let guide: any;
  beforeAll(async () => {
    guide = await exportsOf('agents');
  });

  it('shows an agent whose handlers stream, answer and refuse', async () => {
    await using served = await serve(platform, agentModule([guide.OrderAgent]));
    const { task } = (await send(served.base, '7')).result;
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ name: 'status', parts: [{ text: 'On its way' }] }],
    });
    const failed = (await send(served.base, '')).result.task;
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(getText(failed.status.message)).toBe('The order number is missing');
    const { message } = (await send(served.base, 'Ann', skillId('greet'))).result;
    expect(getText(message)).toBe('Hello, Ann');
    const listed = await rpc(served.base, 'ListTasks', {});
    expect(listed.body.result.totalSize).toBe(2);
  });

  it('says how a skill is chosen', async () => {
    @AgentExecutor(AGENT)
    class TwoAgent {
      @Skill({ ...SKILL, id: 'json', inputModes: ['application/json'] })
      json() {
        return 'json';
      }

      @Skill({ ...SKILL, id: 'text', inputModes: ['text/*'] })
      text() {
        return 'text';
      }
    }
    await using served = await serve(platform, agentModule([TwoAgent]));
    const chosen = async (parts: object[]) => {
      const { result, error } = await send(served.base, '', { message: { parts } });
      return error?.data[0].reason ?? getText(result.message);
    };
    expect(await chosen([{ text: 'a' }])).toBe('text');
    expect(await chosen([{ data: 1 }])).toBe('json');
    expect(await chosen([{ raw: 'YQ==' }])).toBe('json');
    expect(await chosen([{ raw: 'YQ==', mediaType: 'image/png' }])).toBe('CONTENT_TYPE_NOT_SUPPORTED');
    const unknown = await send(served.base, 'a', skillId('none'));
    expect(unknown.error!.data[0].reason).toBe('INVALID_PARAMS');
  });

  it('shows every form of a handler', async () => {
    await using served = await serve(platform, agentModule([guide.FormsAgent]));
    for (const id of ['tokens', 'observable', 'updater']) {
      const { task } = (await send(served.base, '', skillId(id))).result;
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(task.artifacts).toHaveLength(1);
      expect(getText(task.artifacts[0], '')).toBe(
        id === 'updater' ? 'first, second, third' : 'one two three',
      );
    }
    const { task } = (await send(served.base, '', skillId('queue'))).result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const stream = await readEvents(
      await rpcStream(served.base, 'SendStreamingMessage', M('', skillId('updater'))),
    );
    const updates = stream.flatMap(({ data }) => data.result.artifactUpdate ?? []);
    expect(updates.map(({ append = false, lastChunk = false }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(new Set(updates.map(({ artifact }) => artifact.artifactId)).size).toBe(1);
  });

  it('says what fails a task', async () => {
    @AgentExecutor(AGENT)
    class FailingAgent {
      @Skill({ ...SKILL, id: 'forgets' })
      async forgets({ updater }: RequestContext) {
        await updater.startWork();
      }

      @Skill({ ...SKILL, id: 'overflows' })
      overflows() {
        return interval(0).pipe(map(() => 'x'.repeat(10)));
      }

      @Skill({ ...SKILL, id: 'both' })
      async *both() {
        yield status('TASK_STATE_WORKING');
        yield agentMessage('and a message');
      }

      @Skill({ ...SKILL, id: 'auth' })
      async *auth() {
        yield status('TASK_STATE_WORKING');
        yield status('TASK_STATE_AUTH_REQUIRED');
      }

      @Skill({ ...SKILL, id: 'secret' })
      secret() {
        throw new Error('hunter2');
      }

      @Skill({ ...SKILL, id: 'late' })
      async *late() {
        yield status('TASK_STATE_WORKING');
        throw new InvalidParamsError([], 'No such order');
      }
    }
    const module = agentModule([FailingAgent], { execution: { observableBuffer: 0 } });
    await using served = await serve(platform, module);
    const fails = async (id: string) => {
      const { task } = (await send(served.base, '', skillId(id))).result;
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      return getText(task.status.message);
    };
    expect(await fails('forgets')).toMatch(/without ending, pausing or detaching/);
    expect(await fails('overflows')).toMatch(/reference/);
    expect(await fails('both')).toMatch(/Message after/);
    expect(await fails('auth')).toMatch(/without a message/);
    expect(await fails('secret')).toMatch(/^The agent failed to handle the message \(reference [\w-]+\)$/);
    expect(await fails('late')).toBe('No such order');
  });

  it('says that an A2AError before the task is shown is the answer', async () => {
    @AgentExecutor(AGENT)
    class RefusingAgent {
      @Skill(SKILL)
      refuse({ userInput }: RequestContext) {
        if (userInput === 'http') throw new NotFoundException('No such order');
        throw new InvalidParamsError([], 'No such order');
      }
    }
    await using served = await serve(platform, agentModule([RefusingAgent]));
    const refused = await send(served.base, 'a2a');
    expect(refused.error).toMatchObject({ code: -32602, message: 'No such order' });
    expect((await send(served.base, 'http')).error!.message).toBe('No such order');
    expect((await rpc(served.base, 'ListTasks', {})).body.result.totalSize).toBe(0);
  });

  it('shows a task that pauses, is detached, and ends through its handle', async () => {
    const module = agentModule([guide.BookingAgent], {}, { providers: [guide.HotelWebhook] });
    await using served = await serve(platform, module);
    const webhook = served.app.get(guide.HotelWebhook);
    const { task } = (await send(served.base, 'A room')).result;
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const follow = { message: { taskId: task.id }, configuration: { returnImmediately: true } };
    await send(served.base, '2', follow);
    const state = async () => (await rpc(served.base, 'GetTask', { id: task.id })).body.result;
    await expect.poll(async () => (await state()).status.state).toBe('TASK_STATE_WORKING');
    await send(served.base, 'with a view', follow);
    await webhook.confirmed(task.id);
    const ended = await state();
    expect(ended.status.state).toBe('TASK_STATE_COMPLETED');
    expect(ended.history.map((message: never) => getText(message))).toEqual([
      'A room',
      'For how many nights?',
      '2',
      'Asking the hotel for 2 nights',
      'with a view',
    ]);
    await expect(webhook.confirmed(task.id)).rejects.toMatchObject({ name: 'TaskEndedError' });
    await expect(webhook.confirmed('none')).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });

  it('says that emitting after the end rejects, and that a cancel aborts and asks', async () => {
    const seen: string[] = [];
    @Skill(SKILL)
    @AgentExecutor(AGENT)
    class PlainAgent {
      async execute({ updater, signal, userInput }: RequestContext, _: EventQueue) {
        await updater.startWork();
        if (userInput === 'hold') {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          seen.push('aborted');
        }
        await updater.complete();
        await updater.startWork().catch((error: Error) => seen.push(error.name));
      }

      cancel({ isCancelled }: RequestContext) {
        seen.push(`cancel ${isCancelled}`);
      }
    }
    await using served = await serve(platform, agentModule([PlainAgent]));
    await send(served.base, 'go');
    expect(seen).toEqual(['TaskEndedError']);
    const { task } = (await send(served.base, 'hold', { configuration: { returnImmediately: true } })).result;
    await rpc(served.base, 'CancelTask', { id: task.id });
    expect(seen).toContain('aborted');
    expect(seen).toContain('cancel true');
  });

  it('cancels after the grace period, and limits the messages that wait', async () => {
    @AgentExecutor(AGENT)
    class StubbornAgent {
      @Skill(SKILL)
      async *hold() {
        yield status('TASK_STATE_WORKING');
        await new Promise(() => {});
      }
    }
    const execution = { cancelGraceMs: 50, maxPendingMessages: 1 };
    await using served = await serve(platform, agentModule([StubbornAgent], { execution }));
    const { id } = (await send(served.base, '', { configuration: { returnImmediately: true } })).result.task;
    const follow = { message: { taskId: id }, configuration: { returnImmediately: true } };
    await send(served.base, 'waits', follow);
    expect((await send(served.base, 'too many', follow)).error!.data[0].reason).toBe('UNSUPPORTED_OPERATION');
    const { body } = await rpc(served.base, 'CancelTask', { id });
    expect(body.result.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('says that a request-scoped agent has the context as its REQUEST', async () => {
    @AgentExecutor({ ...AGENT, scope: Scope.REQUEST })
    class CallerAgent {
      constructor(@Inject(REQUEST) private readonly call: ServerCallContext) {}

      @Skill(SKILL)
      whoami() {
        return this.call.user?.id ?? 'nobody';
      }
    }
    await using served = await serve(platform, agentModule([CallerAgent]), {
      configure: (app) =>
        app.use((request: { user?: object }, _: unknown, next: () => void) => {
          request.user = { id: 'ann' };
          next();
        }),
    });
    expect(getText((await send(served.base, '')).result.message)).toBe('ann');
  });
});

it('refuses both kinds of handlers at once', async () => {
  @AgentExecutor(AGENT)
  class BothAgent {
    execute() {}

    @Skill(SKILL)
    handle() {}
  }
  await expect(serve('fastify', agentModule([BothAgent]))).rejects.toThrow(/both execute\(\) and methods/);
});
