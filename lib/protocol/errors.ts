import { randomUUID } from 'node:crypto';
import { badRequest, errorInfo, retryInfo, type ErrorDetail, type FieldViolation } from './error-details.js';
import { ERRORS, type ErrorReason, type StatusName } from './error-table.js';

/** What an error may carry besides its text. */
export interface A2AErrorOptions extends ErrorOptions {
  /** Facts for the caller's program, shown in ErrorInfo, as in `{ taskId }`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further objects for the details, after ErrorInfo. */
  readonly details?: readonly ErrorDetail[];
}

/**
 * An error that the caller of an operation sees. Its message and metadata are public; `cause` is not and only ever
 * reaches a log. The table in `error-table.ts` says how it looks in each binding.
 */
export abstract class A2AError extends Error {
  /** Which error it is, the same in every binding. */
  readonly reason: ErrorReason;
  /** What ErrorInfo carries. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly #details: readonly ErrorDetail[];

  protected constructor(
    reason: ErrorReason,
    message: string = ERRORS[reason].message,
    options: A2AErrorOptions = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.reason = reason;
    this.metadata = options.metadata ?? {};
    this.#details = options.details ?? [];
  }

  /** Code of the JSON-RPC error. */
  get code(): number {
    return ERRORS[this.reason].code;
  }

  /** HTTP status of specification v1.0.0; `httpStatusOf` also knows v1.0.1's. */
  get httpStatus(): number {
    return ERRORS[this.reason].httpStatus;
  }

  /** Name of the google.rpc.Code of specification v1.0.0. */
  get status(): StatusName {
    return ERRORS[this.reason].status;
  }

  /** The error's details for any binding: ErrorInfo first (JSON-RPC `error.data`, HTTP+JSON `error.details`). */
  get details(): ErrorDetail[] {
    return [errorInfo(this.reason, this.metadata), ...this.#details];
  }
}

/** The task does not exist, or not for this caller (spec §3.3.2). */
export class TaskNotFoundError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('TASK_NOT_FOUND', message, options);
  }
}

/** The task has ended in another way already. */
export class TaskNotCancelableError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('TASK_NOT_CANCELABLE', message, options);
  }
}

/** The agent's card does not declare push notifications. */
export class PushNotificationNotSupportedError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('PUSH_NOTIFICATION_NOT_SUPPORTED', message, options);
  }
}

/** The agent does not do this, or not in the state the task is in. */
export class UnsupportedOperationError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('UNSUPPORTED_OPERATION', message, options);
  }
}

/** The body, or a part of the message, has a media type that the agent does not take. */
export class ContentTypeNotSupportedError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('CONTENT_TYPE_NOT_SUPPORTED', message, options);
  }
}

/** The agent's own code broke the rules of the protocol. */
export class InvalidAgentResponseError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('INVALID_AGENT_RESPONSE', message, options);
  }
}

/** The card declares an extended card, but there is none. */
export class ExtendedAgentCardNotConfiguredError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('EXTENDED_AGENT_CARD_NOT_CONFIGURED', message, options);
  }
}

/** The card requires an extension that the caller did not name in `A2A-Extensions`. */
export class ExtensionSupportRequiredError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('EXTENSION_SUPPORT_REQUIRED', message, options);
  }
}

/** The caller speaks a version that the agent does not. */
export class VersionNotSupportedError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('VERSION_NOT_SUPPORTED', message, options);
  }
}

/** The body is not JSON. */
export class JsonParseError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('JSON_PARSE', message, options);
  }
}

/** The body is JSON, but no JSON-RPC request. */
export class InvalidRequestError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('INVALID_REQUEST', message, options);
  }
}

/** No operation has this name. */
export class MethodNotFoundError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('METHOD_NOT_FOUND', message, options);
  }
}

/** The request breaks the data model; `violations` say where. */
export class InvalidParamsError extends A2AError {
  readonly violations: readonly FieldViolation[];

  constructor(violations: readonly FieldViolation[], message?: string, options?: A2AErrorOptions) {
    const fields = violations.length > 0 ? [badRequest(violations)] : [];
    const details = [...fields, ...(options?.details ?? [])];
    super('INVALID_PARAMS', message ?? summarize(violations), { ...options, details });
    this.violations = violations;
  }
}

function summarize(violations: readonly FieldViolation[]): string {
  const [first] = violations;
  if (!first) return ERRORS.INVALID_PARAMS.message;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return `${ERRORS.INVALID_PARAMS.message}: ${first.field || 'the request'} ${first.description}${more}`;
}

/** Something went wrong that is no business of the caller; the log tells more under the same `correlationId`. */
export class InternalError extends A2AError {
  readonly correlationId: string;

  constructor(message?: string, options?: A2AErrorOptions & { readonly correlationId?: string }) {
    const correlationId = options?.correlationId ?? options?.metadata?.['correlationId'] ?? randomUUID();
    super('INTERNAL', message, { ...options, metadata: { ...options?.metadata, correlationId } });
    this.correlationId = correlationId;
  }
}

/** The body exceeds the limit. */
export class PayloadTooLargeError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('PAYLOAD_TOO_LARGE', message, options);
  }
}

/** Nobody, or nobody we know, is calling. */
export class UnauthenticatedError extends A2AError {
  /** Values for the `WWW-Authenticate` header, as in `Bearer realm="a2a"`. */
  readonly challenges: readonly string[];

  constructor(message?: string, options?: A2AErrorOptions & { readonly challenges?: readonly string[] }) {
    super('UNAUTHENTICATED', message, options);
    this.challenges = options?.challenges ?? [];
  }
}

/** The caller is known, but may not do this. */
export class PermissionDeniedError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('PERMISSION_DENIED', message, options);
  }
}

/** What an error that passes may carry. */
export interface RetryableErrorOptions extends A2AErrorOptions {
  /** For the `Retry-After` header, in seconds. */
  readonly retryAfterSeconds?: number;
}

function withRetryInfo(options: RetryableErrorOptions = {}): A2AErrorOptions {
  const { retryAfterSeconds, details = [] } = options;
  return retryAfterSeconds === undefined
    ? options
    : { ...options, details: [retryInfo(retryAfterSeconds), ...details] };
}

/** The caller asks too much or too often. */
export class ResourceExhaustedError extends A2AError {
  readonly retryAfterSeconds: number | undefined;

  constructor(message?: string, options?: RetryableErrorOptions) {
    super('RESOURCE_EXHAUSTED', message, withRetryInfo(options));
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** The agent cannot take work now, as while it shuts down. */
export class UnavailableError extends A2AError {
  readonly retryAfterSeconds: number | undefined;

  constructor(message?: string, options?: RetryableErrorOptions) {
    super('UNAVAILABLE', message, withRetryInfo(options));
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** Something that the request names does not exist; what is no task, for which there is TaskNotFoundError. */
export class NotFoundError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('NOT_FOUND', message, options);
  }
}

/** The request contradicts the present state of something. */
export class ConflictError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('CONFLICT', message, options);
  }
}

/** No HTTP+JSON operation has this path. */
export class RouteNotFoundError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('ROUTE_NOT_FOUND', message, options);
  }
}

/** The path is an operation's, but not with this verb. */
export class MethodNotAllowedError extends A2AError {
  constructor(message?: string, options?: A2AErrorOptions) {
    super('METHOD_NOT_ALLOWED', message, options);
  }
}
