import type { Part, StreamResponse, Task } from './model.js';

const ENVELOPE = 200;

/** About how many bytes an event takes as JSON: exact in what grows, estimated in the rest. */
export function weighEvent(event: StreamResponse | { error: unknown }): number {
  if ('artifactUpdate' in event && event.artifactUpdate)
    return ENVELOPE + weighParts(event.artifactUpdate.artifact.parts);
  if ('task' in event && event.task) return weighTask(event.task);
  if ('statusUpdate' in event) return ENVELOPE + weighParts(event.statusUpdate?.status.message?.parts ?? []);
  return ENVELOPE;
}

/** The same for a whole task. */
export function weighTask(task: Task): number {
  let bytes = ENVELOPE + weighParts(task.status.message?.parts ?? []);
  for (const artifact of task.artifacts ?? []) bytes += ENVELOPE + weighParts(artifact.parts);
  for (const message of task.history ?? []) bytes += ENVELOPE + weighParts(message.parts);
  return bytes;
}

function weighParts(parts: readonly Part[]): number {
  let bytes = 0;
  for (const part of parts) {
    bytes +=
      20 + (part.text?.length ?? part.raw?.length ?? part.url?.length ?? JSON.stringify(part.data).length);
  }
  return bytes;
}
