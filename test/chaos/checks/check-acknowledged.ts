import { notesOf, type TaskEvidence } from './evidence.js';
import type { Findings } from './findings.js';
import { marksOf } from './marks.js';

/** Whatever an executor was told is logged is in the log, in its order, once. */
export function checkAcknowledged(evidence: TaskEvidence, findings: Findings): void {
  const { taskId, logs } = evidence;
  const log = logs[0];
  if (!log) {
    const told = notesOf(evidence, 'acknowledged').length;
    findings.expect(
      told === 0,
      'acknowledged',
      taskId,
      `${told} emissions were acknowledged, and there is no log`,
    );
    return;
  }
  const logged = new Map<string, number>();
  for (const { run, n } of marksOf(log)) {
    const last = logged.get(run) ?? -1;
    findings.expect(n === last + 1, 'order', taskId, `run ${run} logged ${n} after ${last}`);
    logged.set(run, n);
  }
  for (const { run, n } of notesOf(evidence, 'acknowledged')) {
    findings.count('acknowledgements looked for in logs');
    const last = logged.get(run) ?? -1;
    findings.expect(
      last >= n,
      'acknowledged',
      taskId,
      `run ${run} was told that ${n} is logged; the log ends at ${last}`,
    );
  }
  const ids = new Set(log.map(({ id }) => id));
  for (const { last, token } of notesOf(evidence, 'logged')) {
    findings.count('appends looked for in logs');
    findings.expect(
      ids.has(last),
      'acknowledged',
      taskId,
      `event ${last} of token ${token} is not in the log`,
    );
  }
}
