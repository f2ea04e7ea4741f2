import type { StreamResponse, Task } from 'nest-a2a';
import { describe, expect, it } from 'vitest';
import type { JournalEntry, Note } from '../agent/journal.js';
import type { SeenEvent } from '../load/seen-event.js';
import { checkTaskEvidence } from './check-task-evidence.js';
import type { TaskEvidence } from './evidence.js';
import { Findings } from './findings.js';

const TASK = 't1';
const AT = '2026-01-01T00:00:00.000Z';
const first = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: '{}' }] };
const second = { ...first, messageId: 'm2' };
const asked = { messageId: 'a1', role: 'ROLE_AGENT' as const, parts: [{ text: 'And now?' }] };

function seen(id: number, event: StreamResponse): SeenEvent {
  return { id, json: JSON.stringify(event) };
}

function status(id: number, mark: string | undefined, value: Partial<Task['status']>): SeenEvent {
  const metadata = mark === undefined ? {} : { metadata: { mark } };
  const full = { state: 'TASK_STATE_WORKING' as const, timestamp: AT, ...value };
  return seen(id, { statusUpdate: { taskId: TASK, contextId: 'c1', status: full, ...metadata } });
}

function chunk(id: number, mark: string, append?: boolean): SeenEvent {
  const artifact = { artifactId: 'out', parts: [{ text: `${mark};` }] };
  return seen(id, { artifactUpdate: { taskId: TASK, contextId: 'c1', artifact, ...(append && { append }) } });
}

/** Two runs: the first parks after two chunks, the second completes. Number 7 is the message between them. */
const LOG: readonly SeenEvent[] = [
  seen(2, {
    task: {
      id: TASK,
      contextId: 'c1',
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: AT },
      history: [first],
    },
  }),
  status(3, 'r1.0', {}),
  chunk(4, 'r1.1'),
  chunk(5, 'r1.2', true),
  status(6, 'r1.3', { state: 'TASK_STATE_INPUT_REQUIRED', message: asked }),
  status(8, 'r2.0', { state: 'TASK_STATE_COMPLETED' }),
];

const DONE: Task = {
  id: TASK,
  contextId: 'c1',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: AT },
  artifacts: [{ artifactId: 'out', parts: [{ text: 'r1.1;' }, { text: 'r1.2;' }] }],
  metadata: { mark: 'r2.0' },
  history: [first, asked, second],
};

function note(at: number, what: Note): JournalEntry {
  return { at, process: 'w1', ...what };
}

function lease(at: number, token: number): JournalEntry {
  return note(at, { note: 'lease', task: TASK, token, sent: at - 1, ttlMs: 100, takeOver: false });
}

function begin(at: number, run: string, message: string, token: number, attempt = 1): JournalEntry {
  return note(at, { note: 'begin', run, task: TASK, message, token, attempt, agent: 'brittle' });
}

function end(at: number, run: string): JournalEntry {
  return note(at, { note: 'end', run, task: TASK });
}

function acknowledged(at: number, run: string, n: number): JournalEntry {
  return note(at, { note: 'acknowledged', run, task: TASK, n });
}

const NOTES: readonly JournalEntry[] = [
  lease(10, 1),
  begin(11, 'r1', 'm1', 1),
  acknowledged(12, 'r1', 3),
  end(13, 'r1'),
  note(14, { note: 'releasing', task: TASK, token: 1 }),
  lease(20, 2),
  begin(21, 'r2', 'm2', 2),
  note(22, { note: 'logged', task: TASK, token: 2, last: 8, count: 1 }),
  acknowledged(23, 'r2', 0),
  end(24, 'r2'),
];

const STREAM = { opensWithSnapshot: false, events: LOG, late: false, ended: true, faults: [] as string[] };

const GOOD: TaskEvidence = {
  taskId: TASK,
  agent: 'brittle',
  sent: [
    { messageId: 'm1', outcome: 'accepted' },
    { messageId: 'm2', outcome: 'accepted' },
    { messageId: 'm3', outcome: 'unsure' },
  ],
  canceled: false,
  answer: undefined,
  faults: [],
  streams: [STREAM],
  logs: [LOG, LOG],
  tasks: [DONE],
  notes: NOTES,
};

/** The rules that the evidence breaks, each once. */
function broken(change: Partial<TaskEvidence>): string[] {
  const findings = new Findings();
  checkTaskEvidence({ ...GOOD, ...change }, findings);
  return [...new Set(findings.violations.map(({ rule }) => rule))].sort();
}

const without = (...ids: number[]): SeenEvent[] => LOG.filter(({ id }) => !ids.includes(id));
const streams = (change: Partial<typeof STREAM>) => ({ streams: [{ ...STREAM, ...change }] });
const notes = (...more: JournalEntry[]) => ({ notes: [...NOTES, ...more].sort((a, b) => a.at - b.at) });
const sent = (...outcomes: TaskEvidence['sent'][number]['outcome'][]) => ({
  sent: outcomes.map((outcome, i) => ({ messageId: `m${i + 1}`, outcome })),
});

describe('the checks of a chaos run', () => {
  it('find nothing where all is well', () => {
    expect(broken({})).toEqual([]);
    const snapshot = seen(5, { task: { ...DONE, status: { state: 'TASK_STATE_WORKING', timestamp: AT } } });
    expect(broken(streams({ opensWithSnapshot: true, events: [snapshot, ...LOG.slice(4)] }))).toEqual([]);
    expect(broken(streams({ events: [], ended: false, late: true }))).toEqual([]);
  });

  it.each<[string, Partial<TaskEvidence>, string[]]>([
    ['an accepted task that does not exist', { tasks: [], logs: [], streams: [], notes: [] }, ['ends']],
    ['a refused send that left a task', sent('refused', 'accepted'), ['half', 'history']],
    [
      'a failed send that ran and left no task',
      { ...sent('unsure'), tasks: [], logs: [], streams: [], notes: [begin(1, 'r', 'm1', 1)] },
      ['half', 'history'],
    ],
    [
      'a task that is left at work',
      { tasks: [{ ...DONE, status: { state: 'TASK_STATE_WORKING', timestamp: AT } }] },
      ['ends', 'fold'],
    ],
    [
      'two ends',
      { logs: [[...LOG, status(9, undefined, { state: 'TASK_STATE_FAILED' })]] },
      ['fold', 'one end', 'subscribers'],
    ],
    [
      'a number that comes twice',
      { logs: [[...LOG.slice(0, 5), LOG[4]!, LOG[5]!]] },
      ['history', 'order', 'sequence', 'subscribers'],
    ],
    ['replicas that replay different logs', { logs: [LOG, without(4)] }, ['same log']],
    ['a gap in a stream', streams({ events: without(4) }), ['subscribers']],
    [
      'an event that comes twice',
      streams({ events: [...LOG.slice(0, 2), LOG[1]!, ...LOG.slice(2)] }),
      ['subscribers'],
    ],
    [
      'another text of an event',
      streams({ events: [...LOG.slice(0, 2), chunk(4, 'r1.9'), ...LOG.slice(3)] }),
      ['subscribers'],
    ],
    ['a stream that stops', streams({ events: LOG.slice(0, 3), ended: false }), ['subscribers']],
    ['a subscriber who saw nothing', streams({ events: [], ended: false }), ['subscribers']],
    ['a fault of a subscriber', streams({ faults: ['what?'] }), ['subscribers']],
    [
      'a snapshot without a chunk',
      streams({
        opensWithSnapshot: true,
        events: [
          seen(5, {
            task: { ...DONE, status: { state: 'TASK_STATE_WORKING', timestamp: AT }, artifacts: [] },
          }),
          ...LOG.slice(4),
        ],
      }),
      ['snapshots'],
    ],
    ['an artifact that GetTask lacks', { tasks: [{ ...DONE, artifacts: [] }] }, ['fold']],
    ['a message that the history lacks', { tasks: [{ ...DONE, history: [first, asked] }] }, ['history']],
    [
      'a message that the history has twice',
      { tasks: [{ ...DONE, history: [first, asked, second, second] }] },
      ['history'],
    ],
    [
      'an answer of the agent that the history lacks',
      { tasks: [{ ...DONE, history: [first, second] }] },
      ['history'],
    ],
    ['a cancel that came to nothing', { canceled: true }, ['cancel']],
    ['an acknowledged emission that the log lacks', notes(acknowledged(24, 'r2', 1)), ['acknowledged']],
    [
      'an append that the log lacks',
      notes(note(24, { note: 'logged', task: TASK, token: 2, last: 9, count: 1 })),
      ['acknowledged'],
    ],
    [
      'emissions in another order',
      { logs: [[LOG[0]!, LOG[1]!, chunk(4, 'r1.2'), chunk(5, 'r1.1', true), ...LOG.slice(4)]] },
      ['fold', 'order', 'subscribers'],
    ],
    [
      'a run that writes after its successor',
      {
        logs: [
          [
            ...LOG.slice(0, 4),
            status(6, 'r2.0', {}),
            status(7, 'r1.3', {}),
            status(8, undefined, { state: 'TASK_STATE_COMPLETED' }),
          ],
        ],
      },
      ['fold', 'history', 'subscribers', 'writers'],
    ],
    ['two runs at once under one lease', notes(begin(12, 'r3', 'm4', 1)), ['history', 'overlap']],
    ['a token that is given twice', notes(lease(25, 2)), ['leases']],
    [
      'a lease that is given while another holds it',
      { notes: NOTES.filter(({ note: kind }) => kind !== 'releasing') },
      ['leases'],
    ],
    [
      'a lease that was not taken back, and is given to another',
      notes(note(15, { note: 'kept', task: TASK, token: 1 })),
      ['leases'],
    ],
    ['a message that is run twice without being asked for', notes(begin(24.5, 'r3', 'm2', 2, 2)), ['once']],
    [
      'an attempt that is counted wrong',
      { agent: 'steady', ...notes(begin(24.5, 'r3', 'm2', 2, 1)) },
      ['attempts'],
    ],
    [
      'messages that are run in another order',
      {
        notes: [
          lease(10, 1),
          begin(11, 'r2', 'm2', 1),
          end(12, 'r2'),
          begin(13, 'r1', 'm1', 1),
          end(14, 'r1'),
        ],
      },
      ['order'],
    ],
    ['a run for a message that nobody sent', notes(begin(24.5, 'r3', 'm9', 2)), ['history']],
  ])('find %s', (_what, change, rules) => {
    expect(broken(change)).toEqual(rules);
  });
});
