import type { StreamResponse, TaskState } from 'nest-a2a';

/** An event as a client saw it: the SSE id, and the event as the JSON text that came over the wire. */
export interface SeenEvent {
  readonly id: number;
  readonly json: string;
}

const TERMINAL: ReadonlySet<string> = new Set<TaskState>([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

export function isTerminal(state: string | undefined): boolean {
  return state !== undefined && TERMINAL.has(state);
}

export function parseEvent({ json }: SeenEvent): StreamResponse {
  return JSON.parse(json) as StreamResponse;
}

/** The state that an event sets. */
export function stateOf(event: StreamResponse): TaskState | undefined {
  return (event.statusUpdate ?? event.task)?.status.state;
}
