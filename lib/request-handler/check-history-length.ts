import { InvalidParamsError } from '../protocol/errors.js';

/** Throws InvalidParamsError for a negative length (§3.2.4); the door has seen to it that it is an integer. */
export function checkHistoryLength(historyLength: number | undefined, field: string): void {
  if (historyLength === undefined || historyLength >= 0) return;
  throw new InvalidParamsError([{ field, description: 'must be 0 or more' }]);
}
