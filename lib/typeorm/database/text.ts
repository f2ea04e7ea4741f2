import { createHash } from 'node:crypto';

/** Longest key of a table, in UTF-16 units. */
const LONGEST_KEY = 255;

/** What a column of text may not hold: PostgreSQL refuses NUL, and a lone surrogate does not survive UTF-8. U+FFFD marks their escapes. */
const ESCAPED = /[\0\uFFFD]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const ESCAPE = /\uFFFD([0-9a-f]{4})/g;

/** A text as a column of text keeps it: the same, but for characters that would not survive. */
export function toText(value: string): string {
  return value.replace(ESCAPED, (char) => `\uFFFD${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The text that was given to `toText()`. */
export function fromText(text: string): string {
  return text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Whether a text can be the key of a row as it stands. No row has another, so whoever looks one up need not ask the database. */
export function isKey(id: string): boolean {
  return id.length <= LONGEST_KEY && toText(id) === id;
}

/** 43 characters that stand for texts of any length and content: what is looked up by equality is indexed by it. */
export function digestOf(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}
