import { isTerminal, parseEvent, stateOf } from '../load/seen-event.js';
import { notesOf, type TaskEvidence } from './evidence.js';
import type { Findings } from './findings.js';

/** Every task that was accepted ends; a send that failed left a whole task or nothing. */
export function checkEnds(evidence: TaskEvidence, findings: Findings): void {
  const { taskId, sent, tasks, logs, faults } = evidence;
  for (const fault of faults) findings.expect(false, 'answers', taskId, fault);
  const first = sent[0]?.outcome ?? 'pending';
  if (tasks.length === 0) {
    findings.count(`sends ${first}, no task`);
    findings.expect(first !== 'accepted', 'ends', taskId, 'an accepted task does not exist');
    const ran = notesOf(evidence, 'begin').length > 0;
    findings.expect(!ran, 'half', taskId, `a send that was ${first} left no task, but ran`);
    return;
  }
  findings.count(`sends ${first}, task exists`);
  findings.expect(
    first !== 'refused',
    'half',
    taskId,
    `a send that was refused left a task: ${sent[0]?.why}`,
  );
  for (const { status } of tasks)
    findings.expect(isTerminal(status.state), 'ends', taskId, `the task is left in ${status.state}`);
  findings.count(`ended ${tasks[0]!.status.state}`);
  const ends = logs[0]!.filter((event) => isTerminal(stateOf(parseEvent(event))));
  findings.expect(ends.length === 1, 'one end', taskId, `the log holds ${ends.length} terminal events`);
  findings.expect(ends[0] === logs[0]!.at(-1), 'one end', taskId, 'events follow the terminal one');
}
