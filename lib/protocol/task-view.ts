import type { Task } from './model.js';

/** How much of a task a caller wants to see. */
export interface TaskView {
  /** 0: none; unset: all (§3.2.4). */
  readonly historyLength?: number;
  /** Default true. */
  readonly artifacts?: boolean;
}

/** The task as the caller wants to see it; the given task is not changed. */
export function viewTask(task: Task, { historyLength, artifacts = true }: TaskView): Task {
  const trimmed = historyLength !== undefined && (task.history?.length ?? 0) > historyLength;
  if (!trimmed && artifacts) return task;
  const view = { ...task };
  if (trimmed) {
    if (historyLength === 0) delete view.history;
    else view.history = task.history!.slice(-historyLength);
  }
  if (!artifacts) delete view.artifacts;
  return view;
}
