import type { TaskProjection } from '../protocol/task-projection.js';
import type { LogRecord } from './queue-manager.js';

/** Applies one record of the log; what a command says joins the history. */
export function applyRecord(projection: TaskProjection, { sequence, event, command }: LogRecord): void {
  projection.sequence = sequence;
  if (command) {
    if (command.kind === 'message') projection.addMessage(command.message);
  } else if (!('error' in event)) projection.apply(event);
}
