import { notesOf, type NoteOf, type TaskEvidence } from './evidence.js';
import type { Findings } from './findings.js';
import { marksOf } from './marks.js';

type Begin = NoteOf<'begin'>;

/** One run at a time writes: a later run has a higher token or began after the earlier one ended, and nothing of the earlier follows. */
export function checkRuns(evidence: TaskEvidence, findings: Findings): void {
  // A process may be stopped between taking a message and beginning its run.
  const begins = notesOf(evidence, 'begin').sort((a, b) => a.token - b.token || a.at - b.at);
  findings.count('runs', begins.length);
  findings.count('runs again after an interruption', begins.filter(({ attempt }) => attempt > 1).length);
  findings.count('writers refused by the log', notesOf(evidence, 'refused').length);
  checkWriters(evidence, begins, findings);
  checkOverlaps(evidence, begins, findings);
  checkLeases(evidence, findings);
  checkOnce(evidence, begins, findings);
}

/** In the log, the events of runs follow each other in the order of tokens and do not mix. */
function checkWriters({ taskId, logs }: TaskEvidence, begins: readonly Begin[], findings: Findings): void {
  const tokens = new Map(begins.map(({ run, token }) => [run, token]));
  const done = new Set<string>();
  let current: string | undefined;
  for (const { run, id } of marksOf(logs[0] ?? [])) {
    if (run === current) continue;
    findings.expect(
      !done.has(run),
      'writers',
      taskId,
      `at ${id}, run ${run} writes after another has written`,
    );
    if (current !== undefined) {
      done.add(current);
      const [before = 0, after = 0] = [tokens.get(current), tokens.get(run)];
      // A task handle has no run, and no token that we know of.
      if (before > 0 && after > 0)
        findings.expect(
          after >= before,
          'writers',
          taskId,
          `at ${id}, token ${after} writes after token ${before}`,
        );
    }
    current = run;
  }
}

/** Runs under one token follow each other; a run under a lease that was lost may go on, but not write. */
function checkOverlaps(evidence: TaskEvidence, begins: readonly Begin[], findings: Findings): void {
  const ends = new Map(notesOf(evidence, 'end').map(({ run, at }) => [run, at]));
  for (const [i, earlier] of begins.entries()) {
    const end = ends.get(earlier.run);
    for (const later of begins.slice(i + 1)) {
      findings.count('pairs of runs compared');
      const apart = end !== undefined && end <= later.at;
      const fenced = later.token !== earlier.token;
      const text = `run ${later.run} (token ${later.token}) began while ${earlier.run} (token ${earlier.token}) was at work`;
      findings.expect(apart || fenced, 'overlap', evidence.taskId, text);
    }
  }
}

/** A lease is given to another only when it was given back, has expired, or was taken over by a canceller. */
function checkLeases(evidence: TaskEvidence, findings: Findings): void {
  const { taskId, notes } = evidence;
  const leases = new Map<number, { expires: number; released: boolean }>();
  for (const entry of notes) {
    if (entry.note === 'releasing' || entry.note === 'kept') {
      const lease = leases.get(entry.token);
      if (lease) lease.released = entry.note === 'releasing';
    } else if (entry.note === 'renewed') {
      const lease = leases.get(entry.token);
      if (lease) lease.expires = Math.max(lease.expires, entry.sent + entry.ttlMs);
    } else if (entry.note === 'lease') {
      findings.count('leases');
      findings.expect(!leases.has(entry.token), 'leases', taskId, `token ${entry.token} was given twice`);
      for (const [token, { expires, released }] of leases) {
        if (token > entry.token || released || entry.takeOver) continue;
        const early = Math.round(expires - entry.at);
        const text = `token ${entry.token} was given ${early} ms before token ${token} expired`;
        findings.expect(early <= CLOCK_SLACK_MS, 'leases', taskId, text);
      }
      leases.set(entry.token, { expires: entry.sent + entry.ttlMs, released: false });
    }
  }
}

/** Servers count in whole ms. */
const CLOCK_SLACK_MS = 5;

/** An agent that does not want its runs repeated sees each message once. */
function checkOnce({ taskId, agent }: TaskEvidence, begins: readonly Begin[], findings: Findings): void {
  const byMessage = new Map<string, Begin[]>();
  for (const begin of begins) byMessage.set(begin.message, [...(byMessage.get(begin.message) ?? []), begin]);
  for (const [message, some] of byMessage) {
    if (agent === 'brittle')
      findings.expect(some.length === 1, 'once', taskId, `message ${message} was run ${some.length} times`);
    const grows = some.every(({ attempt }, i) => i === 0 || attempt > some[i - 1]!.attempt);
    findings.expect(
      grows,
      'attempts',
      taskId,
      `message ${message} has attempts ${some.map((b) => b.attempt).join(', ')}`,
    );
  }
}
