import { checkAcknowledged } from './check-acknowledged.js';
import { checkEnds } from './check-ends.js';
import { checkOrder } from './check-order.js';
import { checkRuns } from './check-runs.js';
import { checkStreams } from './check-streams.js';
import { checkTask } from './check-task.js';
import type { TaskEvidence } from './evidence.js';
import type { Findings } from './findings.js';

/** All that must hold for one task. */
export function checkTaskEvidence(evidence: TaskEvidence, findings: Findings): void {
  checkEnds(evidence, findings);
  checkStreams(evidence, findings);
  checkTask(evidence, findings);
  checkAcknowledged(evidence, findings);
  checkRuns(evidence, findings);
  checkOrder(evidence, findings);
}
