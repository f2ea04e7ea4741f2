import { describe, expect, it } from 'vitest';
import { AgentError } from '../../lib/protocol/agent-error.js';
import { fromReason } from '../../lib/protocol/error-from-reason.js';
import {
  ERRORS,
  grpcStatusOf,
  httpStatusOf,
  jsonRpcHttpStatusOf,
  statusNameOf,
  type ErrorReason,
} from '../../lib/protocol/error-table.js';
import * as errors from '../../lib/protocol/errors.js';

const REASONS = Object.keys(ERRORS) as ErrorReason[];

/** reason, class, JSON-RPC code and HTTP status, HTTP status, gRPC status by name and number. */
const PINNED: [ErrorReason, string, number, number, number, string, number][] = [
  ['TASK_NOT_FOUND', 'TaskNotFoundError', -32001, 200, 404, 'NOT_FOUND', 5],
  ['TASK_NOT_CANCELABLE', 'TaskNotCancelableError', -32002, 200, 409, 'FAILED_PRECONDITION', 9],
  [
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'PushNotificationNotSupportedError',
    -32003,
    200,
    400,
    'UNIMPLEMENTED',
    12,
  ],
  ['UNSUPPORTED_OPERATION', 'UnsupportedOperationError', -32004, 200, 400, 'UNIMPLEMENTED', 12],
  ['CONTENT_TYPE_NOT_SUPPORTED', 'ContentTypeNotSupportedError', -32005, 200, 415, 'INVALID_ARGUMENT', 3],
  ['INVALID_AGENT_RESPONSE', 'InvalidAgentResponseError', -32006, 200, 502, 'INTERNAL', 13],
  [
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    'ExtendedAgentCardNotConfiguredError',
    -32007,
    200,
    400,
    'FAILED_PRECONDITION',
    9,
  ],
  ['EXTENSION_SUPPORT_REQUIRED', 'ExtensionSupportRequiredError', -32008, 200, 400, 'FAILED_PRECONDITION', 9],
  ['VERSION_NOT_SUPPORTED', 'VersionNotSupportedError', -32009, 200, 400, 'UNIMPLEMENTED', 12],
  ['JSON_PARSE', 'JsonParseError', -32700, 200, 400, 'INVALID_ARGUMENT', 3],
  ['INVALID_REQUEST', 'InvalidRequestError', -32600, 200, 400, 'INVALID_ARGUMENT', 3],
  ['METHOD_NOT_FOUND', 'MethodNotFoundError', -32601, 200, 404, 'UNIMPLEMENTED', 12],
  ['INVALID_PARAMS', 'InvalidParamsError', -32602, 200, 400, 'INVALID_ARGUMENT', 3],
  ['INTERNAL', 'InternalError', -32603, 200, 500, 'INTERNAL', 13],
  ['PAYLOAD_TOO_LARGE', 'PayloadTooLargeError', -32600, 413, 413, 'INVALID_ARGUMENT', 3],
  ['UNAUTHENTICATED', 'UnauthenticatedError', -32000, 401, 401, 'UNAUTHENTICATED', 16],
  ['PERMISSION_DENIED', 'PermissionDeniedError', -32000, 403, 403, 'PERMISSION_DENIED', 7],
  ['RESOURCE_EXHAUSTED', 'ResourceExhaustedError', -32000, 429, 429, 'RESOURCE_EXHAUSTED', 8],
  ['UNAVAILABLE', 'UnavailableError', -32000, 503, 503, 'UNAVAILABLE', 14],
  ['NOT_FOUND', 'NotFoundError', -32000, 404, 404, 'NOT_FOUND', 5],
  ['CONFLICT', 'ConflictError', -32000, 409, 409, 'ABORTED', 10],
  ['ROUTE_NOT_FOUND', 'RouteNotFoundError', -32601, 404, 404, 'NOT_FOUND', 5],
  ['METHOD_NOT_ALLOWED', 'MethodNotAllowedError', -32601, 405, 405, 'UNIMPLEMENTED', 12],
];

describe('the error table', () => {
  it.each(PINNED)('has %s', (reason, name, code, jsonRpcHttpStatus, httpStatus, status, grpcStatus) => {
    const error = fromReason(reason)!;
    expect(error.name).toBe(name);
    expect(error).toBeInstanceOf((errors as unknown as Record<string, new () => Error>)[name]);
    expect(error).toMatchObject({ reason, code, httpStatus, status, message: ERRORS[reason].message });
    expect([httpStatusOf(error), statusNameOf(error), grpcStatusOf(error)]).toEqual([
      httpStatus,
      status,
      grpcStatus,
    ]);
    expect(jsonRpcHttpStatusOf(error)).toBe(jsonRpcHttpStatus);
  });

  it('has nothing else', () => {
    expect(PINNED.map(([reason]) => reason)).toEqual(REASONS);
  });

  it('differs in six statuses between the patches of the specification', () => {
    const differences = REASONS.map((reason) => ({ reason })).flatMap((error) => [
      ...(httpStatusOf(error, '1.0.1') === httpStatusOf(error)
        ? []
        : [[error.reason, httpStatusOf(error, '1.0.1')]]),
      ...(statusNameOf(error, '1.0.1') === statusNameOf(error)
        ? []
        : [[error.reason, statusNameOf(error, '1.0.1')]]),
    ]);
    expect(differences).toEqual([
      ['TASK_NOT_CANCELABLE', 400],
      ['PUSH_NOTIFICATION_NOT_SUPPORTED', 'FAILED_PRECONDITION'],
      ['UNSUPPORTED_OPERATION', 'FAILED_PRECONDITION'],
      ['CONTENT_TYPE_NOT_SUPPORTED', 400],
      ['INVALID_AGENT_RESPONSE', 500],
      ['VERSION_NOT_SUPPORTED', 'FAILED_PRECONDITION'],
    ]);
    expect(grpcStatusOf({ reason: 'VERSION_NOT_SUPPORTED' }, '1.0.1')).toBe(9);
  });
});

describe('the details of an error', () => {
  const info = (reason: string, metadata?: object) => ({
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'a2a-protocol.org',
    ...(metadata && { metadata }),
  });

  it('say which error it is', () => {
    expect(new errors.TaskNotFoundError().details).toEqual([info('TASK_NOT_FOUND')]);
    expect(new errors.TaskNotFoundError('Gone', { metadata: { taskId: 't' } }).details).toEqual([
      info('TASK_NOT_FOUND', { taskId: 't' }),
    ]);
  });

  it('say which fields are wrong, as does the message', () => {
    const violations = [
      { field: 'message.parts[0]', description: 'must be an object' },
      { field: 'tenant', description: 'must be a string' },
    ];
    const error = new errors.InvalidParamsError(violations);
    expect(error.message).toBe('Invalid params: message.parts[0] must be an object (and 1 more)');
    expect(error.details).toEqual([
      info('INVALID_PARAMS'),
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
    ]);
    expect(new errors.InvalidParamsError([{ field: '', description: 'must be an object' }]).message).toBe(
      'Invalid params: the request must be an object',
    );
  });

  it('say when to try again', () => {
    const error = new errors.UnavailableError(undefined, { retryAfterSeconds: 3 });
    expect(error.retryAfterSeconds).toBe(3);
    expect(error.details[1]).toEqual({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: '3s',
    });
  });

  it('carry a correlation id instead of the cause', () => {
    const cause = new Error('password=hunter2');
    const error = new errors.InternalError(undefined, { cause });
    expect(error.cause).toBe(cause);
    expect(error.correlationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(error.details).toEqual([info('INTERNAL', { correlationId: error.correlationId })]);
    expect(JSON.stringify([error.message, error.details])).not.toContain('hunter2');
    expect(new errors.InternalError(undefined, { correlationId: 'c' }).correlationId).toBe('c');
  });

  it('do not keep challenges, which are for a header', () => {
    const error = new errors.UnauthenticatedError('Who?', { challenges: ['Bearer realm="a2a"'] });
    expect(error.challenges).toEqual(['Bearer realm="a2a"']);
    expect(error.details).toEqual([info('UNAUTHENTICATED')]);
  });
});

describe('an error that a peer reported', () => {
  const others = { '@type': 'type.googleapis.com/google.rpc.Help', links: [] };

  it.each([
    new errors.TaskNotFoundError('Gone', { metadata: { taskId: 't' }, details: [others] }),
    new errors.InvalidParamsError([{ field: 'a', description: 'b' }], undefined, { details: [others] }),
    new errors.ResourceExhaustedError('Slow down', { retryAfterSeconds: 1.5, details: [others] }),
    new errors.InternalError('Oops'),
  ])('becomes what it was: %s', (error) => {
    const copy = fromReason(error.reason, error.message, JSON.parse(JSON.stringify(error.details)));
    expect(copy).toEqual(error);
    expect(copy?.details).toEqual(error.details);
    expect(copy?.constructor).toBe(error.constructor);
    expect({ ...copy }).toEqual({ ...error });
  });

  it('is nothing when its reason is unknown', () => {
    for (const reason of ['', 'NEW', '__proto__', 'constructor', 'toString'])
      expect(fromReason(reason)).toBeUndefined();
  });

  it('survives details of the wrong shape', () => {
    const type = (kind: string) => ({ '@type': `type.googleapis.com/google.rpc.${kind}` });
    const bad = [
      { ...type('ErrorInfo'), metadata: 7 },
      { ...type('BadRequest'), fieldViolations: [null, 1, { field: 2 }] },
    ];
    const error = fromReason('INVALID_PARAMS', 'x', bad) as errors.InvalidParamsError;
    expect(error.violations).toEqual(Array(3).fill({ field: '', description: '' }));
    const retry = fromReason('UNAVAILABLE', 'x', [{ ...type('RetryInfo'), retryDelay: 'soon' }]);
    expect(retry).toMatchObject({ retryAfterSeconds: undefined });
  });
});

it('AgentError keeps its public message apart from the cause', () => {
  const error = new AgentError('No order number', { cause: 'db' });
  expect(error).toMatchObject({ name: 'AgentError', publicMessage: 'No order number', cause: 'db' });
});
