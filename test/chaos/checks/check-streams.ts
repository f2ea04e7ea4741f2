import { isDeepStrictEqual } from 'node:util';
import { parseEvent, type SeenEvent } from '../load/seen-event.js';
import type { SeenStream, TaskEvidence } from './evidence.js';
import type { Findings } from './findings.js';
import { fold } from './fold.js';

/** Every client of a task saw the log, from where it came in, without a gap, a repetition or a difference, on whatever replica. */
export function checkStreams({ taskId, logs, streams }: TaskEvidence, findings: Findings): void {
  const log = logs[0];
  if (!log) return;
  findings.count('events in logs', log.length);
  const ordered = log.every(({ id }, i) => i === 0 || id > log[i - 1]!.id);
  findings.expect(ordered, 'sequence', taskId, 'the numbers of the log do not grow');
  for (const other of logs.slice(1)) {
    findings.count('logs compared between replicas');
    findings.expect(isDeepStrictEqual(other, log), 'same log', taskId, 'two replicas replay different logs');
  }
  for (const stream of streams) checkStream(stream, log, taskId, findings);
}

function checkStream(
  { events, opensWithSnapshot, late, ended, faults }: SeenStream,
  log: readonly SeenEvent[],
  taskId: string | undefined,
  findings: Findings,
): void {
  for (const fault of faults) findings.expect(false, 'subscribers', taskId, fault);
  if (events.length === 0) {
    findings.count('subscribers who came too late');
    findings.expect(late, 'subscribers', taskId, 'a subscriber saw nothing');
    return;
  }
  findings.count('subscribers compared');
  findings.count('events compared', events.length);
  findings.expect(
    ended,
    'subscribers',
    taskId,
    `a subscriber did not see the end, only up to ${events.at(-1)!.id}`,
  );
  const [opening] = events;
  const start = opensWithSnapshot ? opening!.id : 0;
  const seen = opensWithSnapshot ? events.slice(1) : events;
  const last = events.at(-1)!.id;
  const due = log.filter(({ id }) => id > start && (ended || id <= last));
  const same = isDeepStrictEqual(seen, due);
  findings.expect(same, 'subscribers', taskId, same ? '' : difference(seen, due, start));
  if (opensWithSnapshot) checkSnapshot(opening!, log, taskId, findings);
}

/** The Task that opens a subscription is the log up to its number. */
function checkSnapshot(
  opening: SeenEvent,
  log: readonly SeenEvent[],
  taskId: string | undefined,
  findings: Findings,
): void {
  const { task } = parseEvent(opening);
  findings.expect(task !== undefined, 'snapshots', taskId, 'a subscription does not open with the Task');
  const folded = fold(log, opening.id);
  if (!task || !folded) return;
  findings.count('snapshots compared');
  const same =
    task.status.state === folded.status.state &&
    task.status.timestamp === folded.status.timestamp &&
    isDeepStrictEqual(task.artifacts ?? [], folded.artifacts);
  findings.expect(same, 'snapshots', taskId, `the snapshot ${opening.id} is not what the log says`);
}

function difference(seen: readonly SeenEvent[], due: readonly SeenEvent[], start: number): string {
  const at = due.findIndex((event, i) => !isDeepStrictEqual(event, seen[i]));
  const place = at === -1 ? due.length : at;
  const show = (event?: SeenEvent): string => (event ? `${event.id} ${event.json.slice(0, 200)}` : 'nothing');
  return `after ${start}, event ${place} of ${due.length} should be ${show(due[place])} but is ${show(seen[place])}`;
}
