import type { Artifact, Message, StreamResponse, Task } from '../../protocol/model.js';
import { TaskProjection } from '../../protocol/task-projection.js';
import { getText } from '../../protocol/text.js';

/**
 * Puts the events of one stream together: chunks to artifacts, whichever order those of several artifacts come in, and updates to the task. Takes any
 * stream, a resumed one as well; what was added is shared, never changed.
 *
 * @publicApi
 * @example
 * const aggregator = new ArtifactAggregator();
 * for await (const event of client.stream(request)) {
 *   aggregator.add(event);
 *   render(aggregator.artifacts);
 * }
 */
export class ArtifactAggregator {
  readonly #task = new TaskProjection();
  readonly #closed = new Set<string>();
  #message: Message | undefined;

  /** The aggregate of a whole stream. Throws what the stream does. */
  static async of(events: AsyncIterable<StreamResponse>): Promise<ArtifactAggregator> {
    const aggregator = new ArtifactAggregator();
    for await (const event of events) aggregator.add(event);
    return aggregator;
  }

  add(event: StreamResponse): void {
    const { message, artifactUpdate } = event;
    if (message) this.#message = message;
    else if (event.task ?? this.#task.published) this.#task.apply(event);
    else this.#begin(event);
    if (artifactUpdate?.lastChunk) this.#closed.add(artifactUpdate.artifact.artifactId);
    else if (artifactUpdate) this.#closed.delete(artifactUpdate.artifact.artifactId);
  }

  /** The agent's answer, where it is no task. */
  get message(): Message | undefined {
    return this.#message;
  }

  /** The task as it is told so far; undefined before its first event. */
  get task(): Task | undefined {
    return this.#task.published ? this.#task.snapshot() : undefined;
  }

  /** In the order in which they began. */
  get artifacts(): readonly Artifact[] {
    return this.task?.artifacts ?? [];
  }

  /** The text of the artifacts: chunks as they follow each other, artifacts with a line break between them. */
  get text(): string {
    return artifactsText(this.artifacts);
  }

  /** Whether nothing will be added to an artifact. */
  isComplete(artifactId: string): boolean {
    return this.#closed.has(artifactId) || this.#task.ended;
  }

  /** A stream that does not begin with the Task. Whoever produces something is at work. */
  #begin(event: StreamResponse): void {
    const { taskId: id, contextId } = (event.statusUpdate ?? event.artifactUpdate)!;
    const status = event.statusUpdate?.status ?? { state: 'TASK_STATE_WORKING' };
    const metadata = event.statusUpdate?.metadata;
    this.#task.apply({ task: { id, contextId, status, ...(metadata && { metadata }) } });
    if (event.artifactUpdate) this.#task.apply(event);
  }
}

/** The text of artifacts, each in one piece. Those without text are left out. */
export function artifactsText(artifacts: readonly Artifact[]): string {
  return artifacts
    .map((artifact) => getText(artifact, ''))
    .filter((text) => text !== '')
    .join('\n');
}
