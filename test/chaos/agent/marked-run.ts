import { randomUUID } from 'node:crypto';
import type { ArtifactWriter, RequestContext, TaskState } from 'nest-a2a';
import type { Journal } from './journal.js';

/**
 * Emits events that carry the run's id and a number that counts up, so that the log shows who wrote what, and notes in the journal which
 * of them the library said were logged. Every note is made after the promise resolved.
 */
export class MarkedRun {
  readonly run = randomUUID();
  readonly #artifact: ArtifactWriter;
  #last = -1;

  constructor(
    private readonly context: RequestContext,
    private readonly journal: Journal,
  ) {
    // The same for a second attempt: what the first has written is begun anew.
    this.#artifact = context.updater.artifact({ artifactId: `out-${context.message.messageId}` });
  }

  async status(state: TaskState, message?: string): Promise<void> {
    const mark = this.#mark();
    await this.context.updater.updateStatus(state, message, { mark });
    this.#acknowledged();
  }

  async chunk(): Promise<void> {
    await this.#artifact.write(`${this.#mark()};`);
  }

  async close(): Promise<void> {
    await this.#artifact.close(`${this.#mark()};`);
    this.#acknowledged();
  }

  async flush(): Promise<void> {
    const last = this.#last;
    await this.context.updater.flush();
    this.#acknowledged(last);
  }

  #mark(): string {
    this.#last += 1;
    return `${this.run}.${this.#last}`;
  }

  #acknowledged(n = this.#last): void {
    this.journal.write({ note: 'acknowledged', run: this.run, task: this.context.taskId, n });
  }
}
