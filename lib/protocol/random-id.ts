import { randomFillSync } from 'node:crypto';

const DIGITS = Buffer.from('0123456789abcdef');
/** Where the two digits of each byte stand between the dashes. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

const pool = Buffer.alloc(256 * 16);
let used = pool.length;
const text = Buffer.alloc(36, '-');

/**
 * A random UUID (RFC 9562, version 4) in one piece. Those of `crypto.randomUUID()` are ropes of some twenty strings, which is ten times the memory
 * for as long as the id is kept, most of what a collection has to walk over, and a third of the speed once they are made whole.
 */
export function randomId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  pool[used + 6] = (pool[used + 6]! & 0x0f) | 0x40;
  pool[used + 8] = (pool[used + 8]! & 0x3f) | 0x80;
  for (const place of PLACES) {
    const byte = pool[used++]!;
    text[place] = DIGITS[byte >> 4]!;
    text[place + 1] = DIGITS[byte & 0x0f]!;
  }
  return text.toString('latin1');
}
