import {
  agentMessage,
  InternalError,
  InvalidParamsError,
  TaskNotFoundError,
  UnsupportedOperationError,
  userMessage,
  type StreamResponse,
} from 'nest-a2a';
import {
  A2AClient,
  ClientTimeoutError,
  ProtocolViolationError,
  StreamInterruptedError,
  TransportError,
  type StreamOptions,
} from 'nest-a2a/client';
import { describe, expect, it } from 'vitest';
import type { ExchangeTimeouts } from '../../../lib/client/client-transport.js';
import type { ResumeOptions } from '../../../lib/client/streams/resume-options.js';
import { chunk, FAST, ScriptedConnection, statusIn, taskIn, type Reply } from './scripted-connection.js';

const TASK: StreamResponse = { task: taskIn('TASK_STATE_SUBMITTED') };
const WORKING = statusIn('TASK_STATE_WORKING');
const PAUSED = statusIn('TASK_STATE_INPUT_REQUIRED');
const SIGN_IN = statusIn('TASK_STATE_AUTH_REQUIRED');
const DONE = statusIn('TASK_STATE_COMPLETED');
const GONE = new TransportError('Gone', true);
const REQUEST = { message: userMessage('go') };

interface Read {
  readonly events: StreamResponse[];
  readonly error?: unknown;
}

async function read(stream: AsyncIterable<StreamResponse>): Promise<Read> {
  const events: StreamResponse[] = [];
  try {
    for await (const event of stream) events.push(event);
    return { events };
  } catch (error) {
    return { events, error };
  }
}

function send(script: readonly Reply[], options: StreamOptions = {}) {
  const connection = new ScriptedConnection(...script);
  return { connection, result: read(new A2AClient(connection).stream(REQUEST, { ...FAST, ...options })) };
}

function subscribe(script: readonly Reply[]) {
  const connection = new ScriptedConnection(...script);
  return { connection, result: read(new A2AClient(connection).subscribe({ id: 't' }, FAST)) };
}

describe('A11: a stream is complete', () => {
  const complete = {
    'a Message': [{ message: agentMessage('Hello') }],
    'a terminal state': [TASK, WORKING, DONE],
    'a Task that has ended': [{ task: taskIn('TASK_STATE_REJECTED') }],
    INPUT_REQUIRED: [TASK, PAUSED],
    'INPUT_REQUIRED, however the connection ends': [TASK, PAUSED, GONE],
    'a first Task that asks for input': [{ task: taskIn('TASK_STATE_INPUT_REQUIRED') }, GONE],
    AUTH_REQUIRED: [TASK, SIGN_IN],
    'a terminal state, however the connection ends': [TASK, DONE, GONE],
  } satisfies Record<string, Reply>;

  it.each(Object.entries(complete))('after %s', async (_, reply) => {
    const { connection, result } = send([reply]);
    expect(await result).toEqual({ events: reply.filter((one) => one !== GONE) });
    expect(connection.operations).toEqual(['SendStreamingMessage']);
  });

  it('after a terminal state, also where the peer never ends it', async () => {
    const { result } = send([[TASK, DONE, 'stays open']]);
    expect(await result).toEqual({ events: [TASK, DONE] });
  });

  it('not after AUTH_REQUIRED, where the connection breaks off: more may follow (§7.6.1)', async () => {
    const rest = [{ task: taskIn('TASK_STATE_AUTH_REQUIRED') }, WORKING, DONE];
    const { connection, result } = send([[TASK, SIGN_IN, GONE], rest]);
    expect(await result).toEqual({ events: [TASK, SIGN_IN, WORKING, DONE] });
    expect(connection.operations).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
  });

  it('not at the pause of a task that was subscribed to while it waited', async () => {
    const parked = { task: taskIn('TASK_STATE_INPUT_REQUIRED') };
    const { result } = subscribe([
      [parked, GONE],
      [parked, WORKING, DONE],
    ]);
    expect(await result).toEqual({ events: [parked, WORKING, DONE] });
  });
});

describe('going on with a stream', () => {
  it('names the event that was seen last, as long as all have numbers', async () => {
    const numbered = [
      { event: TASK, id: '1' },
      { event: WORKING, id: '4' },
    ];
    const { connection, result } = send([numbered, [GONE], [chunk('x', false), GONE], [TASK, DONE]]);
    await result;
    expect(connection.asked.map(({ lastEventId }) => lastEventId)).toEqual([undefined, '4', '4', undefined]);
    expect(connection.asked.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });

  it.each([GONE, new ClientTimeoutError('idle', 1, true, 'host'), new InternalError()])(
    'follows $name',
    async (error) => {
      const { result } = send([
        [TASK, WORKING, error],
        [{ task: taskIn('TASK_STATE_WORKING') }, DONE],
      ]);
      expect(await result).toEqual({ events: [TASK, WORKING, DONE] });
    },
  );

  it('asks for the task where nobody can subscribe, until it ends', async () => {
    const parts = [{ text: 'x' }, { text: 'y' }];
    const at = (count: number) => [{ artifactId: 'a', parts: parts.slice(0, count) }];
    const { connection, result } = send([
      [TASK, WORKING],
      new UnsupportedOperationError(),
      taskIn('TASK_STATE_WORKING', { artifacts: at(1) }),
      GONE,
      taskIn('TASK_STATE_WORKING', { artifacts: at(1) }),
      taskIn('TASK_STATE_COMPLETED', { artifacts: at(2) }),
    ]);
    const { events } = await result;
    const told = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? []);
    expect(told).toEqual(parts);
    expect(events.at(-1)).toEqual(DONE);
    expect(connection.operations.slice(2)).toEqual(Array(4).fill('GetTask'));
  });

  it('asks for the task where a subscription does not begin with it', async () => {
    const { connection, result } = send([[TASK, WORKING], [WORKING, DONE], taskIn('TASK_STATE_COMPLETED')]);
    expect(await result).toEqual({ events: [TASK, WORKING, DONE] });
    expect(connection.operations).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'GetTask']);
  });

  it('tells an artifact anew that was replaced meanwhile', async () => {
    const artifact = { artifactId: 'a', parts: [{ text: 'final' }] };
    const { result } = send([
      [TASK, chunk('draft', false)],
      [{ task: taskIn('TASK_STATE_WORKING', { artifacts: [artifact] }) }, DONE],
    ]);
    expect((await result).events[2]).toEqual({
      artifactUpdate: { taskId: 't', contextId: 'c', artifact },
    });
  });

  it('tells metadata that came meanwhile', async () => {
    const { result } = send([
      [TASK, WORKING],
      [{ task: taskIn('TASK_STATE_WORKING', { metadata: { step: 2 } }) }, DONE],
    ]);
    expect((await result).events[2]).toMatchObject({ statusUpdate: { metadata: { step: 2 } } });
  });

  it('goes on for the tenant that was asked', async () => {
    const connection = new ScriptedConnection([TASK], [TASK, DONE]);
    await read(new A2AClient(connection).stream({ ...REQUEST, tenant: 'blue' }, FAST));
    expect(connection.asked[1]!.request).toEqual({ id: 't', tenant: 'blue' });
  });
});

describe('StreamInterruptedError', () => {
  it('says where the stream stood, where it is not to be resumed', async () => {
    const { connection, result } = send([[{ event: TASK, id: '1' }, { event: WORKING, id: '2' }, GONE]], {
      resume: false,
    });
    const { events, error } = await result;
    expect(events).toEqual([TASK, WORKING]);
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error).toMatchObject({
      taskId: 't',
      lastState: 'TASK_STATE_WORKING',
      lastEventId: '2',
      cause: GONE,
    });
    expect((error as Error).message).toBe(
      'The stream of task t broke off in TASK_STATE_WORKING: it is not to be resumed',
    );
    expect(connection.operations).toHaveLength(1);
  });

  it('comes after as many attempts in a row that bring nothing new, and counts again after each that does', async () => {
    const nothing: Reply = [TASK];
    const { connection, result } = send([
      [TASK],
      nothing,
      GONE,
      [TASK, chunk('x', false)],
      nothing,
      GONE,
      nothing,
      nothing,
    ]);
    const { events, error } = await result;
    expect(events).toHaveLength(2);
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(connection.operations).toHaveLength(7);
  });

  it('comes instead of a second send, where the first event was never seen', async () => {
    for (const reply of [[], [GONE]]) {
      const { connection, result } = send([reply, [TASK, DONE]]);
      const { error } = await result;
      expect(error).toBeInstanceOf(StreamInterruptedError);
      expect(error).toMatchObject({ taskId: undefined, lastState: undefined });
      expect((error as Error).cause).toBe(reply[0]);
      expect(connection.operations).toEqual(['SendStreamingMessage']);
    }
  });

  it('does not come where the peer takes a message once: it is sent again', async () => {
    const { connection, result } = send([[], [GONE], [TASK, DONE]], { retry: { sends: true } });
    expect(await result).toEqual({ events: [TASK, DONE] });
    const [first, ...more] = connection.asked.map(({ request }) => request.message.messageId);
    expect(more).toEqual([first, first]);
  });

  it('tells what it failed with to go on', async () => {
    const lost = new TaskNotFoundError();
    const { error } = await send([[TASK, WORKING], lost]).result;
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error).toMatchObject({ taskId: 't', cause: lost });
  });
});

describe('errors that are not followed', () => {
  it.each<Reply>([
    new InvalidParamsError([]),
    [new InternalError()],
    [TASK, new InvalidParamsError([])],
    [TASK, new ProtocolViolationError('no envelope')],
    [TASK, new ClientTimeoutError('total', 1, true, 'host')],
  ])('are thrown as they are: %#', async (reply) => {
    const { connection, result } = send([reply]);
    const error = Array.isArray(reply) ? reply.at(-1) : reply;
    expect((await result).error).toBe(error);
    expect(connection.operations).toHaveLength(1);
  });

  it('are thrown as they are when going on took the rest of the time', async () => {
    const late = new ClientTimeoutError('total', 1, true, 'host');
    expect((await send([[TASK], late]).result).error).toBe(late);
  });

  it.each<[string, Reply[], Partial<ResumeOptions>]>([
    ['between two attempts to go on', [[TASK, GONE], GONE], { initialDelayMs: 60_000, maxDelayMs: 60_000 }],
    [
      'between two looks at a task',
      [[TASK, GONE], new UnsupportedOperationError(), taskIn('TASK_STATE_SUBMITTED')],
      { initialDelayMs: 0, maxPollMs: 60_000 },
    ],
  ])('come %s when the time is up', async (_, script, resume) => {
    const { error } = await send(script, { timeouts: { totalMs: 50 }, resume }).result;
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(String(error)).toContain('the time for the whole of it is up');
  });

  it('come when the time is up between two subscriptions to a task that waits', async () => {
    const client = new A2AClient(new ScriptedConnection([{ task: taskIn('TASK_STATE_INPUT_REQUIRED') }]));
    const waiting = client.waitFor('t', { until: 'ended', timeouts: { totalMs: 50 } });
    await expect(waiting).rejects.toMatchObject({ taskId: 't', lastState: 'TASK_STATE_INPUT_REQUIRED' });
  });

  it('come when the time for the whole stream is up, resumptions included', async () => {
    const { connection, result } = send([[TASK], [TASK], [TASK, chunk('x', false)]], {
      timeouts: { totalMs: 60_000, idleMs: 5 },
    });
    await result;
    const limits = connection.asked.map(({ options }) => options.timeouts as ExchangeTimeouts);
    const left = limits.map(({ leftMs = Infinity }) => leftMs);
    expect(left.length).toBeGreaterThan(2);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect(left.at(-1)).toBeLessThan(60_000);
    expect(limits.every(({ totalMs, idleMs }) => totalMs === 60_000 && idleMs === 5)).toBe(true);
  });
});
