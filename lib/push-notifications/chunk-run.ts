import type { Artifact, StreamResponse, TaskArtifactUpdateEvent } from '../protocol/model.js';
import { weighEvent } from '../protocol/weight.js';

/** Most bytes that chunks are put together to; a single one may be larger. */
const MAX_BYTES = 256 * 1024;

/** Chunks of one artifact that follow each other, told as one: their parts in order, the first's `append`, the last's `lastChunk`. */
export class ChunkRun {
  /** Of its own: events of the log are shared and never changed. */
  readonly #update: TaskArtifactUpdateEvent;
  #bytes: number;
  #sequence: number;

  /** @param until number of the last record to take, where it is settled. */
  constructor(
    sequence: number,
    update: TaskArtifactUpdateEvent,
    private readonly until?: number,
  ) {
    this.#sequence = sequence;
    this.#update = { ...update, artifact: { ...update.artifact, parts: [...update.artifact.parts] } };
    this.#bytes = weighEvent({ artifactUpdate: update });
  }

  /** Number of the last record that is in it. */
  get sequence(): number {
    return this.#sequence;
  }

  get event(): StreamResponse {
    return { artifactUpdate: this.#update };
  }

  /** Takes the next event of the log; false when it does not belong here. */
  add(sequence: number, event: StreamResponse): boolean {
    const next = event.artifactUpdate;
    if (!next?.append || this.#update.lastChunk) return false;
    if (next.artifact.artifactId !== this.#update.artifact.artifactId) return false;
    const bytes = this.#bytes + weighEvent(event);
    if (this.until === undefined ? bytes > MAX_BYTES : sequence > this.until) return false;
    this.#bytes = bytes;
    this.#sequence = sequence;
    addTo(this.#update.artifact, next.artifact);
    if (next.metadata) this.#update.metadata = { ...this.#update.metadata, ...next.metadata };
    if (next.lastChunk) this.#update.lastChunk = true;
    return true;
  }
}

/** As a task's own artifact grows. */
function addTo(artifact: Artifact, { parts, name, description, metadata, extensions }: Artifact): void {
  for (const part of parts) artifact.parts.push(part);
  if (name) artifact.name = name;
  if (description) artifact.description = description;
  if (metadata) artifact.metadata = { ...artifact.metadata, ...metadata };
  if (extensions) artifact.extensions = [...new Set([...(artifact.extensions ?? []), ...extensions])];
}
