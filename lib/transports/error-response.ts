import { setErrorHeaders } from '../http/error-headers.js';
import type { HttpExchange } from '../http/http-exchange.js';
import { challengesOf } from '../protocol/challenges.js';
import type { A2AError } from '../protocol/errors.js';
import type { SpecPatch } from '../protocol/error-table.js';
import type { IncomingCall } from './incoming-call.js';

/** Answers with an error in the shape of the call's binding, with the headers that belong to its status. */
export function respondWithError(
  call: IncomingCall,
  error: A2AError,
  exchange: HttpExchange,
  patch: SpecPatch,
): void {
  if (exchange.answered) return;
  setErrorHeaders(exchange, error, () => challengesOf(call.agent.card.securitySchemes));
  exchange.answer(call.binding.fail(call, error, patch));
}
