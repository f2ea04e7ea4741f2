import { UnavailableError } from '../protocol/errors.js';

/** What a process that drains answers to what it does not begin any more. */
export function shuttingDown(): UnavailableError {
  return new UnavailableError('The agent is shutting down; try again later', { retryAfterSeconds: 5 });
}
