import { randomUUID } from 'node:crypto';

const scratch = Buffer.alloc(36);

/**
 * A random UUID in one piece. Those of `randomUUID()` are ropes of some twenty strings, which is ten times the memory for as long as
 * the id is kept, and most of what a collection has to walk over.
 */
export function randomId(): string {
  scratch.write(randomUUID(), 'latin1');
  return scratch.toString('latin1');
}
