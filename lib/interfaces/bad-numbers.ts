/**
 * What is wrong with the numbers among options, each with its name: those that are none, as of a variable of the environment that is missing (a
 * limit of NaN would be no limit), and those below zero.
 * @param group what stands before the names, as in `push.`.
 */
export function badNumbers(options: object = {}, group = ''): string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'number' && !(value >= 0) ? [INVALID_NUMBER(group + name, value)] : [],
  );
}

export const INVALID_NUMBER = (option: string, value: number) =>
  `${option} is ${value}, but must be a number from 0 on: is a variable of the environment missing?`;
