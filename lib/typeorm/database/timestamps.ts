import { readTimestamp } from '../../protocol/scalars.js';

/** Columns of date and time in MySQL begin with this year. */
const FIRST_YEAR = '1000';

/** A time (RFC 3339) as 30 characters that sort as times do: UTC, to the nanosecond. Empty, before all others, when there is none. */
export function toSortable(timestamp: string | undefined): string {
  const utc = timestamp === undefined ? undefined : (readTimestamp(timestamp) ?? readLoosely(timestamp));
  return utc === undefined ? '' : `${utc.slice(0, -1).padEnd(29, '0')}Z`;
}

/** RFC 3339 with as many digits as needed, three at least; empty when there is no time. */
export function fromSortable(sortable: string): string {
  return readTimestamp(sortable) ?? '';
}

/** A time for a column of date and time without a zone, in UTC; to the microsecond, as far as these go. */
export function toMoment(sortable: string): string | null {
  return sortable < FIRST_YEAR ? null : `${sortable.slice(0, 10)} ${sortable.slice(11, 26)}`;
}

/** Executors and other stores may write times in ways that the protocol's door would refuse. */
function readLoosely(timestamp: string): string | undefined {
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : readTimestamp(new Date(ms).toISOString());
}
