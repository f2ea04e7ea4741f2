import {
  ResourceExhaustedError,
  UnauthenticatedError,
  UnavailableError,
  type A2AError,
} from '../protocol/errors.js';
import type { HttpExchange } from './http-exchange.js';

/**
 * Sets the headers that belong to an error's status, unless they stand already.
 * @param challenges for an error that brings none.
 */
export function setErrorHeaders(
  exchange: HttpExchange,
  error: A2AError,
  challenges: () => readonly string[],
): void {
  for (const [name, value] of headersOf(error, challenges)) {
    if (!exchange.hasHeader(name)) exchange.setHeader(name, value);
  }
}

function headersOf(error: A2AError, challenges: () => readonly string[]): [name: string, value: string][] {
  if (error instanceof UnauthenticatedError) {
    const own = error.challenges.length > 0 ? error.challenges : challenges();
    return [['WWW-Authenticate', own.join(', ')]];
  }
  if (error instanceof ResourceExhaustedError || error instanceof UnavailableError) {
    return [['Retry-After', String(Math.ceil(error.retryAfterSeconds ?? 1))]];
  }
  const { allow } = error.metadata;
  return allow ? [['Allow', allow]] : [];
}
