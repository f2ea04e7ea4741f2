/**
 * The longest time in ms that is left to a timer: 19 days. Timers of Node hold 2^31 - 1 ms, nearly 25 days, and fire at once when they are given
 * more; the rest is for the quarter that chance adds to pauses.
 */
export const LONGEST_TIMER_MS = 19 * 24 * 60 * 60 * 1_000;

/** Times that no timer waits for: they are compared with a clock. */
const COMPARED: ReadonlySet<string> = new Set([
  'activeTtlMs',
  'cacheMs',
  'claimMs',
  'finishedLogTtlMs',
  'finishedTtlMs',
  'keepAliveMs',
  'keepMs',
  'maxAgeMs',
  'orphanMs',
  'retryMs',
  'windowMs',
]);

/**
 * What is wrong with the numbers among options, each with its name: those that are none, as of a variable of the environment that is missing (a
 * limit of NaN would be no limit), those below zero, and times that no timer holds. Counts and sizes may be Infinity.
 * @param group what stands before the names, as in `push.`.
 */
export function badNumbers(options: object = {}, group = ''): string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'number') return [];
    if (!(value >= 0)) return [INVALID_NUMBER(group + name, value)];
    return isTimer(name) && value > LONGEST_TIMER_MS ? [TOO_LONG_FOR_A_TIMER(group + name, value)] : [];
  });
}

function isTimer(name: string): boolean {
  return name.endsWith('Ms') && !COMPARED.has(name);
}

export const INVALID_NUMBER = (option: string, value: number) =>
  `${option} is ${value}, but must be a number from 0 on: is a variable of the environment missing?`;

export const TOO_LONG_FOR_A_TIMER = (option: string, value: number) =>
  `${option} is ${value}, but must be ${LONGEST_TIMER_MS} ms (19 days) at most: a timer that is given more than it holds fires at once`;
