import { notesOf, type TaskEvidence } from './evidence.js';
import type { Findings } from './findings.js';

/** Messages are run in the order of the log, which the history shows; one that never ran came after the end. */
export function checkOrder(evidence: TaskEvidence, findings: Findings): void {
  const history = evidence.tasks[0]?.history ?? [];
  const places = new Map(history.map(({ messageId }, i) => [messageId, i]));
  // A process may be stopped between taking a message and beginning its run.
  const begins = notesOf(evidence, 'begin').sort((a, b) => a.token - b.token || a.at - b.at);
  let last = -1;
  for (const { message } of begins) {
    const place = places.get(message);
    findings.expect(
      place !== undefined,
      'history',
      evidence.taskId,
      `message ${message} was run, but is not in the history`,
    );
    if (place === undefined) continue;
    findings.expect(place >= last, 'order', evidence.taskId, `message ${message} was run after a later one`);
    last = place;
  }
}
