let lastMs = NaN;
let last = '';

/** The time as RFC 3339 in UTC, to the millisecond. Events of one millisecond share the string. */
export function timestampNow(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    last = new Date(ms).toISOString();
  }
  return last;
}
