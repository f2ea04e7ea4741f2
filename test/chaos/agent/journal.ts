import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../clock.js';

/** What a process of the agent notes, and when; `run` names one run of the executor. */
export type JournalEntry = { readonly at: number; readonly process: string } & Note;

export type Note =
  /** A lease was taken; the request was sent at `sent`. */
  | {
      readonly note: 'lease';
      readonly task: string;
      readonly token: number;
      readonly sent: number;
      readonly ttlMs: number;
      readonly takeOver: boolean;
    }
  | {
      readonly note: 'renewed';
      readonly task: string;
      readonly token: number;
      readonly sent: number;
      readonly ttlMs: number;
    }
  /** The lease is about to be given back. */
  | { readonly note: 'releasing'; readonly task: string; readonly token: number }
  /** The log did not take it back, as something waits. */
  | { readonly note: 'kept'; readonly task: string; readonly token: number }
  /** The log said that it holds events up to this number, the last `count` of them under this token. */
  | {
      readonly note: 'logged';
      readonly task: string;
      readonly token: number;
      readonly last: number;
      readonly count: number;
    }
  /** The log refused a writer that had lost its lease. */
  | { readonly note: 'refused'; readonly task: string; readonly token: number }
  | {
      readonly note: 'begin';
      readonly run: string;
      readonly task: string;
      readonly message: string;
      readonly token: number;
      readonly attempt: number;
      readonly agent: string;
    }
  | { readonly note: 'end'; readonly run: string; readonly task: string }
  /** The executor was told that its emissions up to number `n` are logged. */
  | { readonly note: 'acknowledged'; readonly run: string; readonly task: string; readonly n: number };

/**
 * Writes notes to a file of this process, each in one write that has happened when the method returns: a SIGKILL loses none of them.
 */
export class Journal {
  readonly #file: number;

  constructor(
    folder: string,
    private readonly process: string,
  ) {
    this.#file = openSync(join(folder, `${process}.jsonl`), 'a');
  }

  write(note: Note): void {
    writeSync(this.#file, `${JSON.stringify({ at: now(), process: this.process, ...note })}\n`);
  }
}

/** All notes of all processes, in the order of time. A line that a kill cut short was not noted. */
export function readJournals(folder: string): JournalEntry[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const entries = files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as JournalEntry),
  );
  return entries.sort((a, b) => a.at - b.at);
}
