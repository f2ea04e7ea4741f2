import type { Dialect } from './dialect.js';
import { raw, sql, type Sql } from './sql.js';

/** What a database has for a clock: the processes' own differ. Microseconds since the epoch. */
export interface DatabaseClock {
  /** One moment for all of a statement, so that indexes serve comparisons with it. */
  readonly now: Sql;
  /** The end of a log: later than that of all logs that were closed before. */
  closing(heads: Sql): Sql;
}

export const DATABASE_CLOCKS: Readonly<Record<Dialect['name'], DatabaseClock>> = {
  postgres: clockOf('(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000)::bigint'),
  // No function of MySQL that depends on the time zone is right in the hour that summer time repeats.
  mysql: clockOf("TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))"),
  sqlite: {
    ...clockOf("CAST(unixepoch('subsec') * 1000000 AS INTEGER)"),
    // The clock of SQLite counts milliseconds, in which many logs can end.
    closing(heads) {
      return sql`max(${this.now}, (SELECT coalesce(max(closed_at), 0) + 1 FROM ${heads}))`;
    },
  },
};

function clockOf(now: string): DatabaseClock {
  return {
    now: raw(now),
    closing() {
      return this.now;
    },
  };
}

/** `ms` after the moment of the statement, or before it when negative. */
export function fromNow({ now }: DatabaseClock, ms: number): Sql {
  return sql`${now} + ${raw(Math.round(ms * 1_000))}`;
}
