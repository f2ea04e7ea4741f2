import { isDeepStrictEqual } from 'node:util';
import type { Artifact, Part, TaskArtifactUpdateEvent } from '../../protocol/model.js';

type Change = Pick<TaskArtifactUpdateEvent, 'artifact' | 'append' | 'lastChunk'>;

/** What a caller has seen of a task's artifacts, and what of others it has not. Holds the parts for as long as the stream runs. */
export class SeenArtifacts {
  readonly #parts = new Map<string, Part[]>();
  /** How many of the seen parts were in the last snapshot, of the artifacts of which it had fewer: the peer will tell the others again. */
  readonly #behind = new Map<string, number>();

  add({ artifact, append }: Change): void {
    const known = append ? this.#parts.get(artifact.artifactId) : undefined;
    if (!known) this.#parts.set(artifact.artifactId, artifact.parts.slice());
    else for (const part of artifact.parts) known.push(part);
  }

  /** Another connection begins: nothing is told again unless its snapshot says so. */
  reconnect(): void {
    this.#behind.clear();
  }

  /** What leads from the seen artifacts to those of a snapshot. One that is no longer than what was seen is taken for old, unless it is the last. */
  unseen(artifacts: readonly Artifact[], last: boolean): Change[] {
    this.#behind.clear();
    if (!last) for (const id of this.#parts.keys()) this.#behind.set(id, 0);
    const changes: Change[] = [];
    for (const artifact of artifacts) {
      const change = this.#difference(artifact, last);
      if (change) changes.push(last ? { ...change, lastChunk: true } : change);
    }
    return changes;
  }

  /** What of an update was not seen before the snapshot that this connection began with; undefined when all was. */
  news(update: TaskArtifactUpdateEvent): TaskArtifactUpdateEvent | undefined {
    if (this.#behind.size === 0) return update;
    const { artifact, append = false } = update;
    const { artifactId, parts } = artifact;
    const from = this.#behind.get(artifactId);
    this.#behind.delete(artifactId);
    if (from === undefined || append !== from > 0) return update;
    const seen = this.#parts.get(artifactId)!;
    const known = countEqual(parts, seen, from);
    const reached = from + known;
    if (known === parts.length) {
      if (reached < seen.length) this.#behind.set(artifactId, reached);
      return undefined;
    }
    if (reached < seen.length) return update;
    return { ...update, append: true, artifact: { ...artifact, parts: parts.slice(known) } };
  }

  #difference(artifact: Artifact, last: boolean): Change | undefined {
    const { artifactId, parts } = artifact;
    const seen = this.#parts.get(artifactId);
    if (!seen) return { artifact };
    const known = countEqual(parts, seen, 0);
    this.#behind.delete(artifactId);
    if (known === seen.length) {
      return known === parts.length
        ? undefined
        : { append: true, artifact: { ...artifact, parts: parts.slice(known) } };
    }
    if (known < parts.length || last) return { artifact };
    this.#behind.set(artifactId, known);
    return undefined;
  }
}

/** How many parts, from the first on, equal those of `others` from an index on. */
function countEqual(parts: readonly Part[], others: readonly Part[], from: number): number {
  let count = 0;
  while (count < parts.length && from + count < others.length) {
    if (!isDeepStrictEqual(parts[count], others[from + count])) break;
    count += 1;
  }
  return count;
}
