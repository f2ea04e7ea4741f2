import fc from 'fast-check';
import {
  userMessage,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskState,
} from 'nest-a2a';
import type { Fate } from './recorded-peer.js';

type Step =
  | { readonly kind: 'status'; readonly said: boolean; readonly meta: boolean }
  | { readonly kind: 'chunk'; readonly artifact: number; readonly parts: number; readonly named: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({ kind: fc.constant('status' as const), said: fc.boolean(), meta: fc.boolean() }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('chunk' as const),
      artifact: fc.nat(2),
      parts: fc.integer({ min: 1, max: 3 }),
      named: fc.boolean(),
    }),
    weight: 6,
  },
);
const ending = fc.constantFrom<TaskState>(
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_INPUT_REQUIRED',
);

/** The message that begins every story. */
export const SENT = userMessage('go', { messageId: 'sent' });

/** Stories of a task, in which each thing that is said or produced is told apart by its number. */
export const stories = fc
  .tuple(fc.array(step, { maxLength: 20 }), ending)
  .map(([steps, end]) => storyOf(steps, end));

const fate = fc.record({ events: fc.nat(3), breaks: fc.boolean(), missed: fc.nat(3), lag: fc.nat(4) });

/** What happens to connections. The first tells at least of the task: without that there is nothing to go on with. */
export const fates = fc
  .tuple(fate, fc.array(fate, { maxLength: 8 }))
  .map(([first, more]): Fate[] => [{ ...first, events: first.events + 1 }, ...more]);

function storyOf(steps: readonly Step[], end: TaskState): StreamResponse[] {
  const ids = { taskId: 't', contextId: 'c' };
  const begun = new Set<number>();
  const opening: Task = {
    id: 't',
    contextId: 'c',
    status: statusOf('TASK_STATE_SUBMITTED', 0),
    history: [SENT],
  };
  const story: StreamResponse[] = [{ task: opening }];
  for (const item of steps) {
    const n = story.length;
    if (item.kind === 'status') {
      const status = { ...statusOf('TASK_STATE_WORKING', n), ...(item.said && { message: said(n) }) };
      story.push({ statusUpdate: { ...ids, status, ...(item.meta && { metadata: { [`k${n % 3}`]: n } }) } });
      continue;
    }
    const parts = Array.from({ length: item.parts }, (_, i): Part => ({ text: `${n}.${i}` }));
    const artifact = { artifactId: `a${item.artifact}`, parts, ...(item.named && { name: `n${n}` }) };
    const append = begun.has(item.artifact);
    begun.add(item.artifact);
    story.push({ artifactUpdate: { ...ids, artifact, ...(append && { append }) } });
  }
  story.push({ statusUpdate: { ...ids, status: statusOf(end, story.length) } });
  return story;
}

function statusOf(state: TaskState, n: number): Task['status'] {
  return { state, timestamp: new Date(n * 1_000).toISOString() };
}

function said(n: number): Message {
  return { messageId: `s${n}`, role: 'ROLE_AGENT', parts: [{ text: `${n}` }] };
}
