import { toParts } from '../protocol/messages.js';
import type { Artifact, Part } from '../protocol/model.js';
import { quiet } from './quiet.js';
import type { EventQueue } from '../interfaces/event-queue.js';
import type { ArtifactOptions, ArtifactWriter } from '../interfaces/task-updater.js';

type ArtifactHead = Omit<ArtifactOptions, 'append' | 'lastChunk'> & { readonly artifactId: string };

/** Writes one artifact in chunks: the first begins it, the others add to it, the last closes it. */
export class QueueArtifactWriter implements ArtifactWriter {
  readonly artifactId: string;
  #begun = false;
  #closed = false;

  constructor(
    private readonly queue: EventQueue,
    private readonly options: ArtifactHead,
  ) {
    this.artifactId = options.artifactId;
  }

  write(parts: string | readonly Part[]): Promise<void> {
    return quiet(this.#emit(parts, false));
  }

  close(parts?: string | readonly Part[]): Promise<void> {
    if (this.#closed || (!this.#begun && parts === undefined)) return Promise.resolve();
    // An artifact has at least one part (§4.1.7), and that a chunk was the last is known when it is on its way.
    return quiet(this.#emit(parts ?? '', true));
  }

  async #emit(parts: string | readonly Part[], lastChunk: boolean): Promise<void> {
    if (this.#closed) throw new Error(`Artifact ${this.artifactId} is closed`);
    this.#closed = lastChunk;
    const append = this.#begun;
    this.#begun = true;
    // Names and the like travel once, with the chunk that begins the artifact.
    const head = append ? { artifactId: this.artifactId } : members(this.options);
    const artifact = { ...head, parts: toParts(parts as string | Part[]) };
    await this.queue.enqueueEvent({
      artifactUpdate: { artifact, ...(append && { append }), ...(lastChunk && { lastChunk }) },
    });
  }
}

function members(options: ArtifactHead): Omit<Artifact, 'parts'> {
  const { artifactId, name, description, metadata, extensions } = options;
  return {
    artifactId,
    ...(name && { name }),
    ...(description && { description }),
    ...(metadata && { metadata }),
    ...(extensions && { extensions: [...extensions] }),
  };
}
