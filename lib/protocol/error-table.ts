/** Names of google.rpc.Code that A2A errors use, with their gRPC numbers. */
export const GRPC_STATUS = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** A google.rpc.Code by its name. */
export type StatusName = keyof typeof GRPC_STATUS;

/** A published text of the specification. They differ in six statuses, and in nothing else that errors show. */
export type SpecPatch = '1.0.0' | '1.0.1';

/** How one error looks in every binding. */
export interface ErrorRow {
  /** Code of the JSON-RPC error. */
  readonly code: number;
  readonly httpStatus: number;
  /** `error.status` in HTTP+JSON; its number is the gRPC status. */
  readonly status: StatusName;
  /** What v1.0.1 says instead. */
  readonly patch1?: { readonly httpStatus?: number; readonly status?: StatusName };
  /** JSON-RPC keeps the HTTP status instead of answering 200: proxies, caches and clients act on it. */
  readonly keepsHttpStatus?: true;
  /** What the caller reads unless something better is known. */
  readonly message: string;
}

/**
 * Every error of the protocol by its `reason`, the name that all bindings carry in google.rpc.ErrorInfo and that
 * clients decide by (spec §3.3.2, §5.4, §9.5, §11.6). First the errors of A2A, then those of JSON-RPC, then those
 * of the transport.
 */
export const ERRORS = {
  TASK_NOT_FOUND: {
    code: -32001,
    httpStatus: 404,
    status: 'NOT_FOUND',
    message: 'Task not found',
  },
  TASK_NOT_CANCELABLE: {
    code: -32002,
    httpStatus: 409,
    status: 'FAILED_PRECONDITION',
    patch1: { httpStatus: 400 },
    message: 'Task cannot be canceled',
  },
  PUSH_NOTIFICATION_NOT_SUPPORTED: {
    code: -32003,
    httpStatus: 400,
    status: 'UNIMPLEMENTED',
    patch1: { status: 'FAILED_PRECONDITION' },
    message: 'Push notifications are not supported',
  },
  UNSUPPORTED_OPERATION: {
    code: -32004,
    httpStatus: 400,
    status: 'UNIMPLEMENTED',
    patch1: { status: 'FAILED_PRECONDITION' },
    message: 'This operation is not supported',
  },
  CONTENT_TYPE_NOT_SUPPORTED: {
    code: -32005,
    httpStatus: 415,
    status: 'INVALID_ARGUMENT',
    patch1: { httpStatus: 400 },
    message: 'Content type not supported',
  },
  INVALID_AGENT_RESPONSE: {
    code: -32006,
    httpStatus: 502,
    status: 'INTERNAL',
    patch1: { httpStatus: 500 },
    message: 'The agent gave an invalid response',
  },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: {
    code: -32007,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    message: 'No extended agent card is configured',
  },
  EXTENSION_SUPPORT_REQUIRED: {
    code: -32008,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    message: 'The agent requires an extension that the request does not activate',
  },
  VERSION_NOT_SUPPORTED: {
    code: -32009,
    httpStatus: 400,
    status: 'UNIMPLEMENTED',
    patch1: { status: 'FAILED_PRECONDITION' },
    message: 'This protocol version is not supported',
  },
  JSON_PARSE: {
    code: -32700,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The body is not valid JSON',
  },
  INVALID_REQUEST: {
    code: -32600,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Invalid request',
  },
  METHOD_NOT_FOUND: {
    code: -32601,
    httpStatus: 404,
    status: 'UNIMPLEMENTED',
    message: 'Method not found',
  },
  INVALID_PARAMS: {
    code: -32602,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Invalid params',
  },
  INTERNAL: {
    code: -32603,
    httpStatus: 500,
    status: 'INTERNAL',
    message: 'Internal error',
  },
  PAYLOAD_TOO_LARGE: {
    code: -32600,
    httpStatus: 413,
    // Not RESOURCE_EXHAUSTED, which invites a retry that cannot help.
    status: 'INVALID_ARGUMENT',
    keepsHttpStatus: true,
    message: 'The body is too large',
  },
  UNAUTHENTICATED: {
    code: -32000,
    httpStatus: 401,
    status: 'UNAUTHENTICATED',
    keepsHttpStatus: true,
    message: 'Authentication is required',
  },
  PERMISSION_DENIED: {
    code: -32000,
    httpStatus: 403,
    status: 'PERMISSION_DENIED',
    keepsHttpStatus: true,
    message: 'Permission denied',
  },
  RESOURCE_EXHAUSTED: {
    code: -32000,
    httpStatus: 429,
    status: 'RESOURCE_EXHAUSTED',
    keepsHttpStatus: true,
    message: 'Too many requests',
  },
  UNAVAILABLE: {
    code: -32000,
    httpStatus: 503,
    status: 'UNAVAILABLE',
    keepsHttpStatus: true,
    message: 'The agent is unavailable at the moment',
  },
  NOT_FOUND: {
    code: -32000,
    httpStatus: 404,
    status: 'NOT_FOUND',
    keepsHttpStatus: true,
    message: 'Not found',
  },
  CONFLICT: {
    code: -32000,
    httpStatus: 409,
    status: 'ABORTED',
    keepsHttpStatus: true,
    message: 'The request contradicts the present state',
  },
  ROUTE_NOT_FOUND: {
    code: -32601,
    httpStatus: 404,
    status: 'NOT_FOUND',
    keepsHttpStatus: true,
    message: 'No operation has this path',
  },
  METHOD_NOT_ALLOWED: {
    code: -32601,
    httpStatus: 405,
    status: 'UNIMPLEMENTED',
    keepsHttpStatus: true,
    message: 'The path does not take this HTTP method',
  },
} as const satisfies Record<string, ErrorRow>;

/** The name of an error, in google.rpc.ErrorInfo's `reason`. */
export type ErrorReason = keyof typeof ERRORS;

/** Whatever knows its reason: every {@link A2AError}. */
export interface HasReason {
  readonly reason: ErrorReason;
}

/** Looks a reason up, also one that came from a peer and may be anything. */
export function errorRow(reason: string): ErrorRow | undefined {
  return Object.hasOwn(ERRORS, reason) ? ERRORS[reason as ErrorReason] : undefined;
}

/** The status of an HTTP+JSON answer. */
export function httpStatusOf(error: HasReason, patch: SpecPatch = '1.0.0'): number {
  const row: ErrorRow = ERRORS[error.reason];
  return (patch === '1.0.1' ? row.patch1?.httpStatus : undefined) ?? row.httpStatus;
}

/** The name in `error.status` of an HTTP+JSON answer. */
export function statusNameOf(error: HasReason, patch: SpecPatch = '1.0.0'): StatusName {
  const row: ErrorRow = ERRORS[error.reason];
  return (patch === '1.0.1' ? row.patch1?.status : undefined) ?? row.status;
}

/** The number of a gRPC status. */
export function grpcStatusOf(error: HasReason, patch: SpecPatch = '1.0.0'): number {
  return GRPC_STATUS[statusNameOf(error, patch)];
}

/** The HTTP status of a JSON-RPC answer: 200 for what the protocol itself reports, otherwise the transport's own. */
export function jsonRpcHttpStatusOf(error: HasReason): number {
  const row: ErrorRow = ERRORS[error.reason];
  return row.keepsHttpStatus ? row.httpStatus : 200;
}
