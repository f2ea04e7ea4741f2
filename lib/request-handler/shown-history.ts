import { InvalidParamsError } from '../protocol/errors.js';

/**
 * How many messages of a history are shown to a caller who asks for so many; undefined is all of them.
 *
 * @param most of the options; 0 is no limit.
 * @throws InvalidParamsError for a negative length (§3.2.4); the door has seen to it that it is an integer.
 */
export function shownHistory(asked: number | undefined, field: string, most: number): number | undefined {
  if (asked !== undefined && asked < 0)
    throw new InvalidParamsError([{ field, description: 'must be 0 or more' }]);
  return most === 0 ? asked : Math.min(asked ?? most, most);
}
