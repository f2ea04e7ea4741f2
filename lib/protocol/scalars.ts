/** Readers of scalar values in ProtoJSON. Each gives undefined for what it refuses. */

const INT32 = 2 ** 31;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** An int32: a whole number, or one in a string. */
export function readInt32(json: unknown): number | undefined {
  const value = typeof json === 'string' && JSON_NUMBER.test(json) ? Number(json) : json;
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  // Adding zero turns -0, which JSON.stringify writes as 0, into 0.
  return value >= -INT32 && value < INT32 ? value + 0 : undefined;
}

const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** Bytes: base64 of the standard or the URL-safe alphabet, padded or not, turned into the standard padded form. */
export function readBase64(text: string): string | undefined {
  const standard =
    text.includes('-') || text.includes('_') ? text.replaceAll('-', '+').replaceAll('_', '/') : text;
  const padding = standard.endsWith('==') ? 2 : standard.endsWith('=') ? 1 : 0;
  const digits = standard.slice(0, standard.length - padding);
  if (padding > 0 && standard.length % 4 !== 0) return undefined;
  if (NOT_BASE64.test(digits)) return undefined;
  const rest = digits.length % 4;
  if (rest === 1) return undefined;
  if (rest === 0) return digits;
  // The last group may carry bits that mean nothing; writing it anew clears them.
  return digits.slice(0, -rest) + Buffer.from(digits.slice(-rest), 'base64').toString('base64');
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59Z');

/**
 * A timestamp (RFC 3339), turned into UTC with 3, 6 or 9 digits after the second. Three at least, so that timestamps
 * of the same precision, which is what clocks give, also sort as strings.
 */
export function readTimestamp(text: string): string | undefined {
  const match = TIMESTAMP.exec(text);
  if (!match) return undefined;
  const [, seconds = '', fraction = '', sign, hours, minutes] = match;
  const local = Date.parse(`${seconds}Z`);
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(seconds)) return undefined;
  if (Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59) return undefined;
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  const utc = sign === '-' ? local + offset : local - offset;
  if (utc < FIRST || utc > LAST) return undefined;
  return `${new Date(utc).toISOString().slice(0, 19)}.${normalizeFraction(fraction)}Z`;
}

function normalizeFraction(digits: string): string {
  const nanos = digits.padEnd(9, '0');
  if (nanos.endsWith('000000')) return nanos.slice(0, 3);
  return nanos.endsWith('000') ? nanos.slice(0, 6) : nanos;
}
