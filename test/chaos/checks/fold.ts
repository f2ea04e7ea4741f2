import type { Artifact, Message, Task } from 'nest-a2a';
import { parseEvent, type SeenEvent } from '../load/seen-event.js';

/** A task as its events tell it, by the words of the specification and with nothing of the library. */
export interface FoldedTask {
  readonly status: Task['status'];
  readonly artifacts: readonly Artifact[];
  readonly metadata: Record<string, unknown>;
  /** Messages that the events themselves carry and that belong to the history. */
  readonly history: readonly Message[];
}

/** Folds the events up to and including a number. Undefined when they do not begin with a Task. */
export function fold(log: readonly SeenEvent[], upTo = Infinity): FoldedTask | undefined {
  const [first, ...rest] = log.filter(({ id }) => id <= upTo).map(parseEvent);
  if (!first?.task) return undefined;
  let { status } = first.task;
  const history = [...(first.task.history ?? [])];
  const artifacts = new Map((first.task.artifacts ?? []).map((item) => [item.artifactId, item]));
  const metadata: Record<string, unknown> = { ...first.task.metadata };
  for (const { statusUpdate, artifactUpdate } of rest) {
    if (statusUpdate) {
      if (status.message) history.push(status.message);
      status = statusUpdate.status;
      Object.assign(metadata, statusUpdate.metadata);
    }
    if (artifactUpdate) {
      const { artifact, append } = artifactUpdate;
      const known = append ? artifacts.get(artifact.artifactId) : undefined;
      const parts = [...(known?.parts ?? []), ...artifact.parts];
      artifacts.set(artifact.artifactId, { ...known, ...artifact, parts });
    }
  }
  return { status, artifacts: [...artifacts.values()], metadata, history };
}
