/**
 * What `Retry-After` asks for (RFC 9110, 10.2.3: seconds, or a date), in ms from now. How much of it is obeyed is up to the caller.
 * @param now ms since the epoch.
 * @returns undefined where the header is absent or neither.
 */
export function parseRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Date.parse() takes nearly anything for a date; one of HTTP begins with the name of a day.
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
