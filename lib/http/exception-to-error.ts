import { HttpException } from '@nestjs/common';
import { fromHttpStatus } from '../protocol/error-from-http-status.js';
import { A2AError, InternalError, UnavailableError } from '../protocol/errors.js';

/**
 * The A2A error that stands for whatever was thrown. HttpExceptions are Nest's way to say something to the caller, so
 * those below 500 keep their text; everything else tells the caller nothing but a correlation id.
 */
export function toA2AError(exception: unknown): A2AError {
  if (exception instanceof A2AError) return exception;
  if (!(exception instanceof HttpException)) return new InternalError(undefined, { cause: exception });
  const status = exception.getStatus();
  // A timeout is no fault of the request.
  if (status === 408 || status === 504) return new UnavailableError();
  const error = fromHttpStatus(status, textOf(exception));
  // The log has to tell what it was.
  return error instanceof InternalError ? new InternalError(undefined, { cause: exception }) : error;
}

/** ValidationPipe gives a list of texts in the response, and only `Bad Request Exception` as the message. */
function textOf(exception: HttpException): string {
  const response = exception.getResponse();
  const message = typeof response === 'object' && 'message' in response ? response.message : response;
  if (Array.isArray(message)) return message.join('; ');
  return typeof message === 'string' ? message : exception.message;
}
