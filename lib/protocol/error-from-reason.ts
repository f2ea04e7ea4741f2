import { findDetail, type ErrorDetail, type FieldViolation } from './error-details.js';
import { errorRow, type ErrorReason } from './error-table.js';
import * as errors from './errors.js';

type Options = errors.RetryableErrorOptions;

/** One class per reason; the compiler sees to it that none is missing. */
const CLASSES: Record<
  Exclude<ErrorReason, 'INVALID_PARAMS'>,
  new (message?: string, options?: Options) => errors.A2AError
> = {
  TASK_NOT_FOUND: errors.TaskNotFoundError,
  TASK_NOT_CANCELABLE: errors.TaskNotCancelableError,
  PUSH_NOTIFICATION_NOT_SUPPORTED: errors.PushNotificationNotSupportedError,
  UNSUPPORTED_OPERATION: errors.UnsupportedOperationError,
  CONTENT_TYPE_NOT_SUPPORTED: errors.ContentTypeNotSupportedError,
  INVALID_AGENT_RESPONSE: errors.InvalidAgentResponseError,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: errors.ExtendedAgentCardNotConfiguredError,
  EXTENSION_SUPPORT_REQUIRED: errors.ExtensionSupportRequiredError,
  VERSION_NOT_SUPPORTED: errors.VersionNotSupportedError,
  JSON_PARSE: errors.JsonParseError,
  INVALID_REQUEST: errors.InvalidRequestError,
  METHOD_NOT_FOUND: errors.MethodNotFoundError,
  INTERNAL: errors.InternalError,
  PAYLOAD_TOO_LARGE: errors.PayloadTooLargeError,
  UNAUTHENTICATED: errors.UnauthenticatedError,
  PERMISSION_DENIED: errors.PermissionDeniedError,
  RESOURCE_EXHAUSTED: errors.ResourceExhaustedError,
  UNAVAILABLE: errors.UnavailableError,
  NOT_FOUND: errors.NotFoundError,
  CONFLICT: errors.ConflictError,
  ROUTE_NOT_FOUND: errors.RouteNotFoundError,
  METHOD_NOT_ALLOWED: errors.MethodNotAllowedError,
};

/**
 * Makes the error that a peer reported.
 * @param reason ErrorInfo's, which may be anything.
 * @param details all of the peer's, ErrorInfo included; what the class keeps in members of its own is taken from them.
 * @returns undefined for a reason that this version does not know.
 */
export function fromReason(
  reason: string,
  message?: string,
  details: readonly ErrorDetail[] = [],
): errors.A2AError | undefined {
  if (!isReason(reason)) return undefined;
  const info = findDetail(details, 'ErrorInfo');
  const bad = findDetail(details, 'BadRequest');
  const retry = findDetail(details, 'RetryInfo');
  const metadata = stringMembers(info?.['metadata']);
  const others = details.filter((detail) => detail !== info);
  if (reason === 'INVALID_PARAMS') {
    const rest = others.filter((detail) => detail !== bad);
    return new errors.InvalidParamsError(violationsIn(bad), message, { metadata, details: rest });
  }
  const retryAfterSeconds = secondsIn(retry);
  if (retryAfterSeconds === undefined) return new CLASSES[reason](message, { metadata, details: others });
  const rest = others.filter((detail) => detail !== retry);
  return new CLASSES[reason](message, { metadata, details: rest, retryAfterSeconds });
}

function isReason(reason: string): reason is ErrorReason {
  return errorRow(reason) !== undefined;
}

function stringMembers(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member === 'string'));
}

function violationsIn(detail: ErrorDetail | undefined): FieldViolation[] {
  const violations = detail?.['fieldViolations'];
  if (!Array.isArray(violations)) return [];
  return violations.map(stringMembers).map(({ field = '', description = '' }) => ({ field, description }));
}

/** Reads a google.protobuf.Duration, as in `1.5s`. */
function secondsIn(detail: ErrorDetail | undefined): number | undefined {
  const delay = detail?.['retryDelay'];
  const match = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay) : null;
  return match ? Number(match[1]) : undefined;
}
