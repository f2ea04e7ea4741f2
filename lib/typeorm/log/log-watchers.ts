type Listener = (sequence?: number) => void;

/** What a look at the head of a log tells: a log that differs in any of it has changed. */
export interface LogMark {
  readonly sequence: number;
  /** All but the sequence, as one text. */
  readonly state: string;
}

/** One task that is watched. */
export interface WatchedLog {
  readonly listeners: Set<{ readonly listener: Listener }>;
  /** The highest number that the listeners were told. */
  sequence: number;
  /** At the last look; undefined before the first one. */
  state: string | undefined;
}

const GONE: LogMark = { sequence: 0, state: 'gone' };

/** Who in this process waits for which log. However a change becomes known, its listeners are told once. */
export class LogWatchers {
  readonly #watched = new Map<string, WatchedLog>();

  /** How many logs are watched. */
  get size(): number {
    return this.#watched.size;
  }

  watch(taskId: string, listener: Listener): () => void {
    let watched = this.#watched.get(taskId);
    if (!watched) {
      watched = { listeners: new Set(), sequence: 0, state: undefined };
      this.#watched.set(taskId, watched);
    }
    const { listeners } = watched;
    const entry = { listener };
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#watched.get(taskId) === watched) this.#watched.delete(taskId);
    };
  }

  /** A log has changed. One whose number is known already has not, since the numbers of a log are readable in their order. */
  tell(taskId: string, sequence?: number): void {
    const watched = this.#watched.get(taskId);
    if (!watched || (sequence !== undefined && sequence <= watched.sequence)) return;
    // After a change without a number the log may be another, whose numbers begin anew.
    watched.sequence = sequence ?? 0;
    tellListeners(watched, sequence);
  }

  /** Any log may have changed. */
  tellAll(): void {
    for (const watched of this.#watched.values()) tellListeners(watched);
  }

  /** The logs to look at. */
  watched(): Map<string, WatchedLog> {
    return new Map(this.#watched);
  }

  /** Tells of a log that was looked at, if it has changed since the last look or never was looked at. Answers whether it did. */
  compare(watched: WatchedLog, { sequence, state }: LogMark = GONE): boolean {
    const same = watched.state === state;
    if (same && sequence <= watched.sequence) return false;
    watched.state = state;
    // A log that was made anew may have lower numbers.
    watched.sequence = sequence;
    tellListeners(watched, state === GONE.state ? undefined : sequence);
    return true;
  }
}

function tellListeners({ listeners }: WatchedLog, sequence?: number): void {
  for (const { listener } of listeners) listener(sequence);
}
