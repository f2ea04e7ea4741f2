import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Compares secrets without telling by its duration where they differ, or how long they are.
 *
 * @publicApi
 */
export function safeEqual(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
