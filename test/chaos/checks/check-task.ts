import { isDeepStrictEqual } from 'node:util';
import type { Task } from 'nest-a2a';
import { isTerminal } from '../load/seen-event.js';
import type { TaskEvidence } from './evidence.js';
import type { Findings } from './findings.js';
import { fold, type FoldedTask } from './fold.js';

/** GetTask is the fold of the events and of the messages that were accepted, each of them once. */
export function checkTask(evidence: TaskEvidence, findings: Findings): void {
  const { taskId, logs, tasks, canceled, answer } = evidence;
  if (!logs[0] || tasks.length === 0) return;
  const folded = fold(logs[0]);
  findings.expect(folded !== undefined, 'fold', taskId, 'the log does not begin with the Task');
  if (!folded) return;
  for (const task of tasks) {
    findings.count('tasks compared with their logs');
    findings.expect(isDeepStrictEqual(task.status, folded.status), 'fold', taskId, 'status differs');
    const artifacts = isDeepStrictEqual(task.artifacts ?? [], folded.artifacts);
    findings.expect(artifacts, 'fold', taskId, 'artifacts differ');
    findings.expect(
      isDeepStrictEqual(task.metadata ?? {}, folded.metadata),
      'fold',
      taskId,
      'metadata differ',
    );
    checkHistory(task, folded, evidence, findings);
  }
  if (canceled) {
    findings.count('cancels answered with the canceled task');
    const { state } = folded.status;
    findings.expect(
      state === 'TASK_STATE_CANCELED',
      'cancel',
      taskId,
      `was answered as canceled, is ${state}`,
    );
  }
  if (answer) {
    findings.count('blocking answers');
    const ended = isTerminal(answer.status.state);
    findings.expect(ended, 'answers', taskId, `a blocking send was answered with ${answer.status.state}`);
  }
}

function checkHistory(
  task: Task,
  folded: FoldedTask,
  { taskId, sent }: TaskEvidence,
  findings: Findings,
): void {
  const times = new Map<string, number>();
  for (const { messageId } of task.history ?? []) times.set(messageId, (times.get(messageId) ?? 0) + 1);
  for (const { messageId, outcome } of sent) {
    const found = times.get(messageId) ?? 0;
    times.delete(messageId);
    if (outcome === 'accepted') findings.count('accepted messages looked for in histories');
    const right = outcome === 'accepted' ? found === 1 : outcome === 'refused' ? found === 0 : found <= 1;
    findings.expect(
      right,
      'history',
      taskId,
      `message ${messageId} (${outcome}) is in the history ${found} times`,
    );
  }
  const sentIds = new Set(sent.map(({ messageId }) => messageId));
  const said = folded.history.filter(({ messageId }) => !sentIds.has(messageId));
  const right = said.length === times.size && said.every(({ messageId }) => times.get(messageId) === 1);
  findings.expect(right, 'history', taskId, 'the history does not hold what the agent said exactly once');
}
