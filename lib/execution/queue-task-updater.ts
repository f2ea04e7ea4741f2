import { artifact, status } from '../protocol/events.js';
import { agentMessage } from '../protocol/messages.js';
import type { JsonObject, Message, Part, TaskState } from '../protocol/model.js';
import type { EventQueue } from '../interfaces/event-queue.js';
import type {
  ArtifactOptions,
  ArtifactWriter,
  MessageInput,
  TaskUpdater,
} from '../interfaces/task-updater.js';
import { quiet } from './quiet.js';
import { QueueArtifactWriter } from './queue-artifact-writer.js';

/** A TaskUpdater over an event queue. */
export class QueueTaskUpdater implements TaskUpdater {
  constructor(
    readonly taskId: string,
    readonly contextId: string | undefined,
    private readonly queue: EventQueue,
    private readonly newArtifactId: () => string,
  ) {}

  submit(message?: MessageInput): Promise<void> {
    return this.updateStatus('TASK_STATE_SUBMITTED', message);
  }

  startWork(message?: MessageInput): Promise<void> {
    return this.updateStatus('TASK_STATE_WORKING', message);
  }

  updateStatus(state: TaskState, message?: MessageInput, metadata?: JsonObject): Promise<void> {
    return this.queue.enqueueEvent(
      status(state, message as string | Part[] | Message | undefined, { metadata }),
    );
  }

  addArtifact(parts: string | readonly Part[], options: ArtifactOptions = {}): Promise<void> {
    const event = artifact(copy(parts), owned(options, this.newArtifactId));
    const emitted = this.queue.enqueueEvent(event);
    // An open chunk may still be ahead of the log; what this method promises is that it is in it.
    return event.artifactUpdate.lastChunk ? emitted : quiet(emitted.then(() => this.queue.flush()));
  }

  artifact(options: Omit<ArtifactOptions, 'append' | 'lastChunk'> = {}): ArtifactWriter {
    return new QueueArtifactWriter(this.queue, { artifactId: this.newArtifactId(), ...options });
  }

  requiresInput(message?: MessageInput): Promise<void> {
    return this.updateStatus('TASK_STATE_INPUT_REQUIRED', message);
  }

  requiresAuth(message: MessageInput): Promise<void> {
    return this.updateStatus('TASK_STATE_AUTH_REQUIRED', message);
  }

  complete(message?: MessageInput): Promise<void> {
    return this.updateStatus('TASK_STATE_COMPLETED', message);
  }

  failed(message?: MessageInput): Promise<void> {
    return this.updateStatus('TASK_STATE_FAILED', message);
  }

  reject(message?: MessageInput): Promise<void> {
    return this.updateStatus('TASK_STATE_REJECTED', message);
  }

  cancel(message?: MessageInput): Promise<void> {
    return this.updateStatus('TASK_STATE_CANCELED', message);
  }

  newAgentMessage(parts: string | readonly Part[], metadata?: JsonObject): Message {
    const { taskId, contextId } = this;
    return agentMessage(copy(parts), {
      taskId,
      ...(contextId && { contextId }),
      ...(metadata && { metadata }),
    });
  }

  flush(): Promise<void> {
    return this.queue.flush();
  }

  detach(): void {
    this.queue.detach();
  }
}

function copy(parts: string | readonly Part[]): string | Part[] {
  return typeof parts === 'string' ? parts : [...parts];
}

/** Member by member, since rests and spreads cost a hot path more than they look. */
function owned(options: ArtifactOptions, newArtifactId: () => string): Parameters<typeof artifact>[1] {
  const {
    artifactId = newArtifactId(),
    extensions,
    append,
    lastChunk,
    name,
    description,
    metadata,
  } = options;
  const own = extensions && [...extensions];
  return { artifactId, extensions: own, append, lastChunk, name, description, metadata };
}
