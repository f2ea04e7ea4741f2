import type { StreamResponse, Task, TaskState } from 'nest-a2a';
import type { HostileRequest } from './raw-http.js';

/** The task that hostile agents speak of. */
export const TASK_ID = 'task-1';
export const CONTEXT_ID = 'context-1';

/** A task in a state, with artifacts of these texts. */
export function taskOf(state: TaskState, ...texts: string[]): Task {
  const artifacts = texts.map((text, i) => ({ artifactId: `artifact-${i + 1}`, parts: [{ text }] }));
  return {
    id: TASK_ID,
    contextId: CONTEXT_ID,
    status: { state },
    ...(artifacts.length > 0 && { artifacts }),
  };
}

export function taskEvent(state: TaskState, ...texts: string[]): StreamResponse {
  return { task: taskOf(state, ...texts) };
}

export function statusEvent(state: TaskState): StreamResponse {
  return { statusUpdate: { taskId: TASK_ID, contextId: CONTEXT_ID, status: { state } } };
}

/** A chunk of the task's first artifact. */
export function chunkEvent(text: string, append = true, lastChunk = false): StreamResponse {
  const artifact = { artifactId: 'artifact-1', parts: [{ text }] };
  return { artifactUpdate: { taskId: TASK_ID, contextId: CONTEXT_ID, artifact, append, lastChunk } };
}

/** A story that ends: the task, two chunks `c0` and `c1`, and its end. */
export const STORY: readonly StreamResponse[] = [
  taskEvent('TASK_STATE_WORKING'),
  chunkEvent('c0', false),
  chunkEvent('c1', true, true),
  statusEvent('TASK_STATE_COMPLETED'),
];

/** An answer as the binding of the request has it: in an envelope for JSON-RPC, bare for HTTP+JSON. */
export function wrap(request: HostileRequest, result: unknown): unknown {
  return isRpc(request) ? { jsonrpc: '2.0', id: request.json.id, result } : result;
}

export function isRpc({ path }: HostileRequest): boolean {
  return path.startsWith('/a2a/jsonrpc');
}

/** How the frames of a stream are written. */
export interface FrameOptions {
  readonly newline?: string;
  /** Number of the first event; none are numbered without it. */
  readonly firstId?: number;
}

/** Events as SSE frames of the request's binding. */
export function frames(
  request: HostileRequest,
  events: readonly StreamResponse[],
  { newline = '\n', firstId }: FrameOptions = {},
): string {
  return events
    .map((event, i) => {
      const id = firstId === undefined ? '' : `id: ${firstId + i}${newline}`;
      return `${id}data: ${JSON.stringify(wrap(request, event))}${newline}${newline}`;
    })
    .join('');
}
