/** When what has a certain age now began, in ms since the epoch. Nothing is older than that, so an age of Infinity means for ever. */
export function before(now: number, ageMs: number): number {
  return Math.max(0, now - ageMs);
}
