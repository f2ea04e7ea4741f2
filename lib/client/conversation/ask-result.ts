import type { Artifact, Message, Task } from '../../protocol/model.js';
import { getText } from '../../protocol/text.js';
import { artifactsText } from './artifact-aggregator.js';

/** The task is done. */
export interface CompletedResult {
  readonly kind: 'completed';
  readonly task: Task;
  readonly artifacts: readonly Artifact[];
  /** Of the artifacts; of what the agent said at the end where they have none. */
  readonly text: string;
}

/** The task waits: for a message, as `continueTask()` sends it; or for credentials, as the agent's words say. */
export interface PausedResult<Kind extends 'input-required' | 'auth-required'> {
  readonly kind: Kind;
  readonly task: Task;
  /** What was produced so far. */
  readonly artifacts: readonly Artifact[];
  /** What the agent asks for; empty where it does not say. */
  readonly text: string;
}

/** The task has ended without success, so there is no content. */
export interface UnsuccessfulResult<Kind extends 'failed' | 'rejected' | 'canceled'> {
  readonly kind: Kind;
  readonly task: Task;
  /** What the agent says about it; empty where it does not. */
  readonly reason: string;
}

/** The agent answered without a task. */
export interface MessageResult {
  readonly kind: 'message';
  readonly message: Message;
  readonly text: string;
}

/** How a task stands that has ended or waits for the caller. */
export type TaskResult =
  | CompletedResult
  | PausedResult<'input-required'>
  | PausedResult<'auth-required'>
  | UnsuccessfulResult<'failed'>
  | UnsuccessfulResult<'rejected'>
  | UnsuccessfulResult<'canceled'>;

/** What came of a question. */
export type AskResult = TaskResult | MessageResult;

/** Undefined for a task that is still at work. */
export function resultOf(task: Task): TaskResult | undefined {
  const { state, message } = task.status;
  const { artifacts = [] } = task;
  const said = message ? getText(message) : '';
  switch (state) {
    case 'TASK_STATE_COMPLETED':
      return { kind: 'completed', task, artifacts, text: artifactsText(artifacts) || said };
    case 'TASK_STATE_INPUT_REQUIRED':
      return { kind: 'input-required', task, artifacts, text: said };
    case 'TASK_STATE_AUTH_REQUIRED':
      return { kind: 'auth-required', task, artifacts, text: said };
    case 'TASK_STATE_FAILED':
      return { kind: 'failed', task, reason: said };
    case 'TASK_STATE_REJECTED':
      return { kind: 'rejected', task, reason: said };
    case 'TASK_STATE_CANCELED':
      return { kind: 'canceled', task, reason: said };
    default:
      return undefined;
  }
}

export function messageResult(message: Message): MessageResult {
  return { kind: 'message', message, text: getText(message) };
}
