import { parseEvent, type SeenEvent } from '../load/seen-event.js';

/** What a run left in the log: the run's id, its own count, and the number in the log. */
export interface Mark {
  readonly run: string;
  readonly n: number;
  readonly id: number;
}

/** The marks of an executor's events, in the order of the log; events that the library made have none. */
export function marksOf(log: readonly SeenEvent[]): Mark[] {
  return log.flatMap((seen) => {
    const { statusUpdate, artifactUpdate } = parseEvent(seen);
    const texts = artifactUpdate?.artifact.parts.map(({ text }) => text ?? '') ?? [];
    const mark = statusUpdate?.metadata?.['mark'];
    if (typeof mark === 'string') texts.push(mark);
    return texts
      .join(';')
      .split(';')
      .filter((text) => text !== '')
      .map((text) => {
        const dot = text.lastIndexOf('.');
        return { run: text.slice(0, dot), n: Number(text.slice(dot + 1)), id: seen.id };
      });
  });
}
