import { viewTask, type TaskView } from '../protocol/task-view.js';
import type { EventStream, NumberedEvent } from '../interfaces/task-reader.js';

/** Shows the Tasks of a stream as the caller wants to see them. */
export function viewStream(stream: EventStream, view: TaskView): EventStream {
  if (view.historyLength === undefined) return stream;
  const show = (item: NumberedEvent): NumberedEvent =>
    item.event.task ? { ...item, event: { task: viewTask(item.event.task, view) } } : item;
  return {
    read: async () => (await stream.read())?.map(show),
    finish: () => stream.finish(),
    close: () => stream.close(),
  };
}
