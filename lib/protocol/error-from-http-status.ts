import * as errors from './errors.js';

/**
 * The error that stands for a plain HTTP failure, as guards and interceptors throw it.
 * @param message shown to the caller for statuses below 500; for others the text of the error table is.
 */
export function fromHttpStatus(status: number, message?: string): errors.A2AError {
  switch (status) {
    case 401:
      return new errors.UnauthenticatedError(message);
    case 403:
      return new errors.PermissionDeniedError(message);
    case 404:
      return new errors.NotFoundError(message);
    case 405:
      return new errors.MethodNotAllowedError(message);
    case 409:
      return new errors.ConflictError(message);
    case 413:
      return new errors.PayloadTooLargeError(message);
    case 415:
      return new errors.ContentTypeNotSupportedError(message);
    case 429:
      return new errors.ResourceExhaustedError(message);
    case 503:
      return new errors.UnavailableError();
    default:
      return status < 500 ? new errors.InvalidParamsError([], message) : new errors.InternalError();
  }
}
