import type { Task } from 'nest-a2a';
import type { JournalEntry } from '../agent/journal.js';
import type { SeenEvent } from '../load/seen-event.js';
import type { AgentName } from '../load/client.js';

/** What one client saw of a task. */
export interface SeenStream {
  readonly opensWithSnapshot: boolean;
  readonly events: readonly SeenEvent[];
  readonly late: boolean;
  readonly ended: boolean;
  readonly faults: readonly string[];
}

/** What was said to a task, and how that was answered. */
export interface SeenMessage {
  readonly messageId: string;
  readonly outcome: 'pending' | 'accepted' | 'refused' | 'unsure';
  readonly why?: string;
}

/** Everything that is known of one task when the run is over. */
export interface TaskEvidence {
  readonly taskId: string | undefined;
  readonly agent: AgentName;
  readonly sent: readonly SeenMessage[];
  readonly canceled: boolean;
  /** What a blocking send was answered with. */
  readonly answer: Task | undefined;
  readonly faults: readonly string[];
  readonly streams: readonly SeenStream[];
  /** The log from its beginning, as each web that was asked replays it; the first counts. */
  readonly logs: readonly (readonly SeenEvent[])[];
  /** GetTask, as each web that was asked answers it. */
  readonly tasks: readonly Task[];
  /** What the processes of the agent noted of it, in the order of time. */
  readonly notes: readonly JournalEntry[];
}

export type NoteOf<K extends JournalEntry['note']> = Extract<JournalEntry, { note: K }>;

export function notesOf<K extends JournalEntry['note']>(
  { notes }: Pick<TaskEvidence, 'notes'>,
  kind: K,
): NoteOf<K>[] {
  return notes.filter((note): note is NoteOf<K> => note.note === kind);
}
