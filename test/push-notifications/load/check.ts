import type { Part } from 'nest-a2a';
import type { Ledger } from './receiver.js';

/** What a webhook was told that is not right. */
export function faultsOf(path: string, ledger: Ledger, text: string): string[] {
  const { accepted, outOfOrder } = ledger;
  const faults = outOfOrder.map((id) => `${path}: ${id} came before the one before it had arrived`);
  const numbers = [...accepted.keys()].map((id) => Number(/\.t?(\d+)$/.exec(id)?.[1]));
  if (numbers.some((number, i) => i > 0 && number <= numbers[i - 1]!))
    faults.push(`${path}: numbers ${numbers.join(', ')}`);
  const events = [...accepted.values()];
  if (!events[0]?.task) faults.push(`${path}: begins with ${JSON.stringify(events[0])}`);
  let parts: Part[] = [];
  for (const { task, artifactUpdate } of events) {
    // A Task tells all there was so far.
    if (task) parts = (task.artifacts ?? []).flatMap((artifact) => artifact.parts);
    if (artifactUpdate) parts.push(...artifactUpdate.artifact.parts);
  }
  const told = parts.map((part) => part.text).join('');
  if (told !== text) faults.push(`${path}: was told ${JSON.stringify(told)}`);
  const ends = events.filter(({ task, statusUpdate }) => {
    const state = (statusUpdate ?? task)?.status.state;
    return state !== undefined && /COMPLETED|FAILED|CANCELED|REJECTED/.test(state);
  });
  if (ends.length !== 1 || ends[0] !== events.at(-1)) faults.push(`${path}: ${ends.length} ends`);
  return faults;
}
