/** The part of a pause that chance leaves: from the least to the most, as factors. */
export type Spread = readonly [least: number, most: number];

/** Give or take a quarter. */
export const AROUND: Spread = [0.75, 1.25];
/** Up to a half taken off, for limits that are not to be exceeded. */
export const WITHIN: Spread = [0.5, 1];

/**
 * How long to wait after failures in a row, in ms: doubled for each, up to a limit, and then spread by chance, so that those who failed together
 * do not come back together.
 * @param failures at least 1.
 */
export function doublingPause(
  failures: number,
  firstMs: number,
  longestMs: number,
  [least, most]: Spread,
  random = Math.random,
): number {
  const pause = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return pause * (least + (most - least) * random());
}
