import { challengesOf } from '../protocol/challenges.js';
import {
  ResourceExhaustedError,
  UnauthenticatedError,
  UnavailableError,
  type A2AError,
} from '../protocol/errors.js';
import type { SpecPatch } from '../protocol/error-table.js';
import type { HttpExchange } from './http-exchange.js';
import type { IncomingCall } from './incoming-call.js';

/** Answers with an error in the shape of the call's binding, with the headers that belong to its status. */
export function respondWithError(
  call: IncomingCall,
  error: A2AError,
  exchange: HttpExchange,
  patch: SpecPatch,
): void {
  if (exchange.answered) return;
  for (const [name, value] of headersOf(error, call)) {
    if (!exchange.hasHeader(name)) exchange.setHeader(name, value);
  }
  exchange.answer(call.binding.fail(call, error, patch));
}

function headersOf(error: A2AError, call: IncomingCall): [name: string, value: string][] {
  if (error instanceof UnauthenticatedError) {
    const challenges =
      error.challenges.length > 0 ? error.challenges : challengesOf(call.agent.card.securitySchemes);
    return [['WWW-Authenticate', challenges.join(', ')]];
  }
  if (error instanceof ResourceExhaustedError || error instanceof UnavailableError) {
    return [['Retry-After', String(Math.ceil(error.retryAfterSeconds ?? 1))]];
  }
  const { allow } = error.metadata;
  return allow ? [['Allow', allow]] : [];
}
