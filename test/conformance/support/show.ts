import { getText, type StreamResponse, type Task } from 'nest-a2a';

/** `TASK_STATE_WORKING` as `WORKING`. */
export function short(state: string): string {
  return state.replace('TASK_STATE_', '');
}

/**
 * A stream as one line for each event: `Task STATE`, the state of a status update, `Message TEXT`, or a chunk as `a0 +TEXT .`: which of
 * the stream's artifacts, `+` for append, `.` for lastChunk.
 */
export function show(events: readonly StreamResponse[]): string[] {
  const ids: string[] = [];
  return events.map((event) => {
    if (event.task) return `Task ${short(event.task.status.state)}`;
    if (event.statusUpdate) return short(event.statusUpdate.status.state);
    if (event.message) return `Message ${getText(event.message)}`;
    const { artifact, append, lastChunk } = event.artifactUpdate!;
    if (!ids.includes(artifact.artifactId)) ids.push(artifact.artifactId);
    return `a${ids.indexOf(artifact.artifactId)} ${append ? '+' : ''}${getText(artifact)}${lastChunk ? ' .' : ''}`;
  });
}

/** The text of each artifact, parts joined by `|`. */
export function artifactTexts(task: Task): string[] {
  return (task.artifacts ?? []).map((artifact) => getText(artifact, '|'));
}

/** The history as `U: text` and `A: text`. */
export function historyTexts(task: Task): string[] {
  return (task.history ?? []).map((message) => `${message.role.slice(5, 6)}: ${getText(message)}`);
}

export function stateOf(task: Task): string {
  return short(task.status.state);
}
