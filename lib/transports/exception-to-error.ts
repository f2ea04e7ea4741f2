import { HttpException } from '@nestjs/common';
import * as errors from '../protocol/errors.js';

/**
 * The A2A error that stands for whatever was thrown. HttpExceptions are Nest's way to say something to the caller, so
 * those below 500 keep their text; everything else tells the caller nothing but a correlation id.
 */
export function toA2AError(exception: unknown): errors.A2AError {
  if (exception instanceof errors.A2AError) return exception;
  if (exception instanceof HttpException) return fromHttpException(exception);
  return new errors.InternalError(undefined, { cause: exception });
}

function fromHttpException(exception: HttpException): errors.A2AError {
  const status = exception.getStatus();
  const message = textOf(exception);
  const options = { cause: exception };
  switch (status) {
    case 401:
      return new errors.UnauthenticatedError(message, options);
    case 402:
    case 403:
      return new errors.PermissionDeniedError(message, options);
    case 404:
    case 410:
      return new errors.TaskNotFoundError(message, options);
    case 405:
      return new errors.MethodNotAllowedError(message, options);
    case 409:
    case 501:
      return new errors.UnsupportedOperationError(message, options);
    case 413:
      return new errors.PayloadTooLargeError(message, options);
    case 415:
      return new errors.ContentTypeNotSupportedError(message, options);
    case 429:
      return new errors.ResourceExhaustedError(message, options);
    case 408:
    case 503:
    case 504:
      return new errors.UnavailableError(message, options);
    default:
      return status < 500
        ? new errors.InvalidParamsError([], message, options)
        : new errors.InternalError(undefined, options);
  }
}

/** ValidationPipe gives a list of texts in the response, and only `Bad Request Exception` as the message. */
function textOf(exception: HttpException): string {
  const response = exception.getResponse();
  const message = typeof response === 'object' && 'message' in response ? response.message : response;
  if (Array.isArray(message)) return message.join('; ');
  return typeof message === 'string' ? message : exception.message;
}
