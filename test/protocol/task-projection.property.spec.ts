import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyRecord } from '../../lib/interfaces/log-record.js';
import type { LogRecord, TaskCommand } from '../../lib/interfaces/queue-manager.js';
import type { Message, Part, StreamResponse, Task, TaskState } from '../../lib/protocol/model.js';
import { TaskProjection } from '../../lib/protocol/task-projection.js';
import { TASK_STATES } from '../../lib/protocol/task-state.js';
import { callOf } from '../contracts/samples.js';

type Step =
  | { readonly kind: 'status'; readonly state: TaskState; readonly said: boolean; readonly meta: boolean }
  | { readonly kind: 'chunk'; readonly artifact: number; readonly append: boolean; readonly named: boolean }
  | {
      readonly kind: 'task';
      readonly state: TaskState;
      readonly artifacts: number[];
      readonly history: boolean;
    }
  | { readonly kind: 'message' }
  | { readonly kind: 'cancel' };

const state = fc.constantFrom(...TASK_STATES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      state,
      said: fc.boolean(),
      meta: fc.boolean(),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('chunk' as const),
      artifact: fc.nat(2),
      append: fc.boolean(),
      named: fc.boolean(),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('task' as const),
      state,
      artifacts: fc.uniqueArray(fc.nat(2)),
      history: fc.boolean(),
    }),
    weight: 1,
  },
  { arbitrary: fc.constant<Step>({ kind: 'message' }), weight: 2 },
  { arbitrary: fc.constant<Step>({ kind: 'cancel' }), weight: 1 },
);

/** Makes a log out of steps: each thing that is said or produced is told apart by its number. */
function logOf(steps: readonly Step[]): LogRecord[] {
  const first = userMessage(1);
  const opening: Task = {
    id: 't',
    contextId: 'c',
    status: { state: 'TASK_STATE_SUBMITTED' },
    history: [first],
  };
  const records: LogRecord[] = [
    { sequence: 1, command: command(first) },
    { sequence: 2, event: { task: opening }, taken: 0 },
  ];
  for (const item of steps) {
    const sequence = records.length + 1;
    if (item.kind === 'message') records.push({ sequence, command: command(userMessage(sequence)) });
    else if (item.kind === 'cancel') records.push({ sequence, command: { kind: 'cancel', call: callOf() } });
    else records.push({ sequence, event: eventOf(item, sequence), taken: 0 });
  }
  return records;
}

function eventOf(item: Exclude<Step, { kind: 'message' | 'cancel' }>, n: number): StreamResponse {
  const ids = { taskId: 't', contextId: 'c' };
  switch (item.kind) {
    case 'status': {
      const status = { state: item.state, ...(item.said && { message: agentMessage(n) }) };
      return { statusUpdate: { ...ids, status, ...(item.meta && { metadata: { [`k${n % 3}`]: n } }) } };
    }
    case 'chunk': {
      const more = item.named
        ? { name: `n${n}`, extensions: [`e${n % 2}`], metadata: { [`m${n % 2}`]: n } }
        : {};
      const artifact = { artifactId: `a${item.artifact}`, parts: partsOf(n), ...more };
      return { artifactUpdate: { ...ids, artifact, ...(item.append && { append: true }) } };
    }
    case 'task': {
      const artifacts = item.artifacts.map((i) => ({ artifactId: `a${i}`, parts: partsOf(n) }));
      const history = item.history ? [userMessage(1), agentMessage(n)] : [];
      return { task: { id: 't', contextId: 'c', status: { state: item.state }, artifacts, history } };
    }
  }
}

function partsOf(n: number): Part[] {
  return [{ text: `${n}` }, { data: n }];
}

function userMessage(n: number): Message {
  return { messageId: `u${n}`, role: 'ROLE_USER', parts: [{ text: `${n}` }] };
}

function agentMessage(n: number): Message {
  return { messageId: `s${n}`, role: 'ROLE_AGENT', parts: [{ text: `${n}` }] };
}

function command(message: Message): TaskCommand {
  return { kind: 'message', message, call: callOf() };
}

function fold(records: readonly LogRecord[], start = new TaskProjection()): TaskProjection {
  for (const record of records) applyRecord(start, record);
  return start;
}

const logs = fc.array(step, { maxLength: 40 }).map(logOf);

describe('TaskProjection, whatever the log', () => {
  it('is the same from a snapshot and the tail as from the beginning, wherever it is cut', () => {
    fc.assert(
      fc.property(logs, (records) => {
        const whole = fold(records);
        for (let cut = 2; cut <= records.length; cut++) {
          const head = fold(records.slice(0, cut));
          // A snapshot is stored as JSON.
          const stored = JSON.parse(JSON.stringify(head.snapshot())) as Task;
          const resumed = fold(records.slice(cut), new TaskProjection(stored, head.sequence));
          expect(resumed.snapshot()).toEqual(whole.snapshot());
          expect(resumed.sequence).toBe(whole.sequence);
          expect(resumed.state).toBe(whole.state);
          expect(resumed.ended).toBe(whole.ended);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps each thing that was said, once: in the history, or as the message of the status', () => {
    fc.assert(
      fc.property(logs, (records) => {
        const task = fold(records).snapshot();
        const kept = (task.history ?? []).concat(task.status.message ?? []).map(({ messageId }) => messageId);
        expect(new Set(kept).size).toBe(kept.length);
        expect(new Set(kept)).toEqual(new Set(records.flatMap(said)));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps each part of each artifact in order, since it was begun anew', () => {
    fc.assert(
      fc.property(logs, (records) => {
        const expected = new Map<string, Part[]>();
        for (const { event } of records) {
          if (!event || 'error' in event) continue;
          for (const { artifactId, parts } of event.task?.artifacts ?? [])
            expected.set(artifactId, [...parts]);
          const update = event.artifactUpdate;
          if (!update) continue;
          const before = update.append ? (expected.get(update.artifact.artifactId) ?? []) : [];
          expected.set(update.artifact.artifactId, [...before, ...update.artifact.parts]);
        }
        const task = fold(records).snapshot();
        const kept = new Map((task.artifacts ?? []).map(({ artifactId, parts }) => [artifactId, parts]));
        expect(kept).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('changes neither what it was given nor a snapshot that it made', () => {
    fc.assert(
      fc.property(logs, fc.nat(40), (records, at) => {
        const before = JSON.stringify(records);
        const cut = Math.min(records.length, Math.max(2, at));
        const projection = fold(records.slice(0, cut));
        const snapshot = projection.snapshot();
        const then = JSON.stringify(snapshot);
        fold(records.slice(cut), projection);
        const resumed = new TaskProjection(snapshot, cut);
        fold(records.slice(cut), resumed);
        expect(JSON.stringify(snapshot)).toBe(then);
        expect(JSON.stringify(records)).toBe(before);
      }),
      { numRuns: 300 },
    );
  });
});

/** Ids of the messages that a record adds to the story. */
function said({ event, command: given }: LogRecord): string[] {
  if (given) return given.kind === 'message' ? [given.message.messageId] : [];
  if (!event || 'error' in event) return [];
  const status = (event.statusUpdate ?? event.task)?.status;
  const history = event.task?.history ?? [];
  return [...history, ...(status?.message ? [status.message] : [])].map(({ messageId }) => messageId);
}
