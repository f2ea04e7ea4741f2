import { ENUMS } from './gen/lf/a2a/v1/a2a_model.js';
import type { TaskState } from './model.js';

/** The states a task can be in, in the order of the proto file. */
export const TASK_STATES = ENUMS['TaskState']!.slice(1) as readonly TaskState[];

const TERMINAL: ReadonlySet<TaskState> = new Set<TaskState>([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

/** Whether the task has ended; no state follows. */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/** Whether the task waits for somebody else: for input, or for credentials. */
export function isInterrupted(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

/** Whether a blocking send answers at this state: the task has ended or waits for somebody else (spec §3.2.2, `returnImmediately`). */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}
