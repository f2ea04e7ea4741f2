import type { IncomingHttpHeaders } from 'node:http';
import { httpStatusOf, statusNameOf, type SpecPatch } from '../protocol/error-table.js';
import type { A2AError } from '../protocol/errors.js';
import type { UnaryAnswer } from './http-exchange.js';
import { answerType } from './media-types.js';

/** An error in the shape that HTTP+JSON has for it (§11.6, AIP-193). */
export function restError(error: A2AError, request: IncomingHttpHeaders, patch?: SpecPatch): UnaryAnswer {
  const { message, details } = error;
  const code = httpStatusOf(error, patch);
  const body = { error: { code, status: statusNameOf(error, patch), message, details } };
  return { status: code, contentType: answerType(request), body: JSON.stringify(body) };
}
