import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  HttpException,
  ImATeapotException,
  InternalServerErrorException,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import * as a2a from 'nest-a2a';
import { AgentError, AgentExecutor, getText, type RequestContext, Skill, TaskStore } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { M } from '../support/message.js';
import { LogBook, PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { BINDINGS } from './support/peer.js';
import { show, stateOf } from './support/show.js';

interface Thrown {
  readonly make: () => unknown;
  readonly reason: string;
  readonly code: number;
  readonly http: number;
  readonly status: string;
  /** HTTP status on JSON-RPC, where it is not 200. */
  readonly rpcHttp?: number;
}

const row = (
  make: () => unknown,
  reason: string,
  code: number,
  http: number,
  status: string,
  rpcHttp?: number,
) => ({
  make,
  reason,
  code,
  http,
  status,
  ...(rpcHttp && { rpcHttp }),
});

/** Specification v1.0.0 §5.4, and what house rules add for HTTP's own errors. */
const A2A_ERRORS: Readonly<Record<string, Thrown>> = {
  TaskNotFoundError: row(() => new a2a.TaskNotFoundError(), 'TASK_NOT_FOUND', -32001, 404, 'NOT_FOUND'),
  TaskNotCancelableError: row(
    () => new a2a.TaskNotCancelableError(),
    'TASK_NOT_CANCELABLE',
    -32002,
    409,
    'FAILED_PRECONDITION',
  ),
  PushNotificationNotSupportedError: row(
    () => new a2a.PushNotificationNotSupportedError(),
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    -32003,
    400,
    'UNIMPLEMENTED',
  ),
  UnsupportedOperationError: row(
    () => new a2a.UnsupportedOperationError('Only on weekdays'),
    'UNSUPPORTED_OPERATION',
    -32004,
    400,
    'UNIMPLEMENTED',
  ),
  ContentTypeNotSupportedError: row(
    () => new a2a.ContentTypeNotSupportedError(),
    'CONTENT_TYPE_NOT_SUPPORTED',
    -32005,
    415,
    'INVALID_ARGUMENT',
  ),
  InvalidAgentResponseError: row(
    () => new a2a.InvalidAgentResponseError(),
    'INVALID_AGENT_RESPONSE',
    -32006,
    502,
    'INTERNAL',
  ),
  ExtendedAgentCardNotConfiguredError: row(
    () => new a2a.ExtendedAgentCardNotConfiguredError(),
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    -32007,
    400,
    'FAILED_PRECONDITION',
  ),
  ExtensionSupportRequiredError: row(
    () => new a2a.ExtensionSupportRequiredError(),
    'EXTENSION_SUPPORT_REQUIRED',
    -32008,
    400,
    'FAILED_PRECONDITION',
  ),
  VersionNotSupportedError: row(
    () => new a2a.VersionNotSupportedError(),
    'VERSION_NOT_SUPPORTED',
    -32009,
    400,
    'UNIMPLEMENTED',
  ),
  InvalidParamsError: row(
    () => new a2a.InvalidParamsError([{ field: 'message.metadata.order', description: 'is required' }]),
    'INVALID_PARAMS',
    -32602,
    400,
    'INVALID_ARGUMENT',
  ),
  InternalError: row(() => new a2a.InternalError(), 'INTERNAL', -32603, 500, 'INTERNAL'),
  UnauthenticatedError: row(
    () => new a2a.UnauthenticatedError(),
    'UNAUTHENTICATED',
    -32000,
    401,
    'UNAUTHENTICATED',
    401,
  ),
  PermissionDeniedError: row(
    () => new a2a.PermissionDeniedError(),
    'PERMISSION_DENIED',
    -32000,
    403,
    'PERMISSION_DENIED',
    403,
  ),
  ResourceExhaustedError: row(
    () => new a2a.ResourceExhaustedError('Slow down', { retryAfterSeconds: 7 }),
    'RESOURCE_EXHAUSTED',
    -32000,
    429,
    'RESOURCE_EXHAUSTED',
    429,
  ),
  UnavailableError: row(() => new a2a.UnavailableError(), 'UNAVAILABLE', -32000, 503, 'UNAVAILABLE', 503),
};

const HTTP_ERRORS: Readonly<Record<string, Thrown>> = {
  BadRequest: row(
    () => new BadRequestException('No order'),
    'INVALID_PARAMS',
    -32602,
    400,
    'INVALID_ARGUMENT',
  ),
  Unauthorized: row(
    () => new UnauthorizedException(),
    'UNAUTHENTICATED',
    -32000,
    401,
    'UNAUTHENTICATED',
    401,
  ),
  Forbidden: row(() => new ForbiddenException(), 'PERMISSION_DENIED', -32000, 403, 'PERMISSION_DENIED', 403),
  NotFound: row(() => new NotFoundException(), 'NOT_FOUND', -32000, 404, 'NOT_FOUND', 404),
  Conflict: row(() => new ConflictException(), 'CONFLICT', -32000, 409, 'ABORTED', 409),
  Teapot: row(() => new ImATeapotException(), 'INVALID_PARAMS', -32602, 400, 'INVALID_ARGUMENT'),
  TooMany: row(
    () => new HttpException('Slow down', 429),
    'RESOURCE_EXHAUSTED',
    -32000,
    429,
    'RESOURCE_EXHAUSTED',
    429,
  ),
};

/** Texts of these are nobody's business, so they fail the task. */
const HIDDEN: Readonly<Record<string, () => unknown>> = {
  Error: () => new Error('db password=hunter2 at /srv/secret'),
  string: () => 'hunter2',
  undefined: () => undefined,
  InternalServerError: () => new InternalServerErrorException('hunter2'),
  cause: () => new Error('outer', { cause: new Error('hunter2') }),
};

/** Throws what the text names: at once, or `later`, when the task is there. */
@Skill({ id: 'throw', name: 'Throw', description: 'Throws', tags: ['test'] })
@AgentExecutor({ name: 'Thrower', description: 'Throws', version: '1' })
class Thrower {
  async execute({ userInput, updater }: RequestContext): Promise<void> {
    const [name = '', later] = userInput.split(' ');
    if (later) await updater.startWork();
    if (name === 'AgentError') throw new AgentError('The order number is missing');
    throw (HIDDEN[name] ?? (A2A_ERRORS[name] ?? HTTP_ERRORS[name])!.make)();
  }
}

describe.each(PLATFORMS)('errors of executors on %s', (platform) => {
  const log = new LogBook();
  let served: ServedApp;
  let patched: ServedApp;

  beforeAll(async () => {
    patched = await serveApp(platform, { agents: [Thrower], options: { specPatch: '1.0.1' } });
    served = await serveApp(platform, { agents: [Thrower], logger: log });
  });
  afterAll(async () => {
    await served?.close();
    await patched?.close();
  });

  describe.each(BINDINGS)('over %s', (binding) => {
    const peer = () => served.peer(binding);

    it.each(Object.entries({ ...A2A_ERRORS, ...HTTP_ERRORS }))(
      'D15 %s at once is the answer, and no task is left',
      async (name, { reason, code, http, status, rpcHttp }) => {
        const store = served.app.get<unknown, MemoryTaskStore>(TaskStore);
        const before = store.size;
        for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
          const refusal = await peer().refused(operation, M(name));
          expect(refusal).toMatchObject({ reason, domain: 'a2a-protocol.org' });
          expect(refusal.details[0]!['@type']).toBe('type.googleapis.com/google.rpc.ErrorInfo');
          if (binding === 'JSONRPC') expect(refusal).toMatchObject({ httpStatus: rpcHttp ?? 200, code });
          else expect(refusal).toMatchObject({ httpStatus: http, code: http, status });
          if (http === 401) expect(refusal.headers.get('www-authenticate')).toBeTruthy();
          if (http === 429 || http === 503) expect(refusal.headers.get('retry-after')).toMatch(/^\d+$/);
        }
        expect(store.size).toBe(before);
      },
    );

    it('D15 keeps what the error carries', async () => {
      expect((await peer().refused('SendMessage', M('InvalidParamsError'))).fields).toEqual([
        'message.metadata.order',
      ]);
      expect((await peer().refused('SendMessage', M('UnsupportedOperationError'))).message).toBe(
        'Only on weekdays',
      );
      expect((await peer().refused('SendMessage', M('BadRequest'))).message).toBe('No order');
      const refusal = await peer().refused('SendMessage', M('ResourceExhaustedError'));
      expect(refusal.headers.get('retry-after')).toBe('7');
      expect(refusal.details).toContainEqual({
        '@type': 'type.googleapis.com/google.rpc.RetryInfo',
        retryDelay: '7s',
      });
    });

    it.each(Object.keys({ ...A2A_ERRORS, ...HTTP_ERRORS }))(
      'D15 %s later fails the task, with its text',
      async (name) => {
        const { make } = { ...A2A_ERRORS, ...HTTP_ERRORS }[name]!;
        const task = await peer().send(`${name} later`);
        expect(stateOf(task)).toBe('FAILED');
        if (name !== 'InternalError') {
          expect(getText(task.status.message!)).toBe((make() as Error).message);
        }
      },
    );

    it.each(Object.keys(HIDDEN).flatMap((name) => [name, `${name} later`]))(
      'E11 %s fails the task, and only the log knows more',
      async (text) => {
        log.lines.length = 0;
        const task = await peer().send(text);
        const events = await peer().stream(text);
        expect([stateOf(task), show(events).at(-1)]).toEqual(['FAILED', 'FAILED']);
        expect(JSON.stringify([task, events])).not.toMatch(/hunter2|\/srv|outer| at /);
        const said = getText(task.status.message!);
        const reference = /reference ([0-9a-f-]{36})/.exec(said)?.[1];
        expect(reference).toBeDefined();
        expect(log.text).toContain(reference);
        expect(log.text).toContain(task.id);
        if (/^(Error|string|InternalServerError|cause)/.test(text)) expect(log.text).toContain('hunter2');
      },
    );

    it('E11 an AgentError is passed on, as it is', async () => {
      for (const text of ['AgentError', 'AgentError later']) {
        const task = await peer().send(text);
        expect(stateOf(task)).toBe('FAILED');
        expect(getText(task.status.message!)).toBe('The order number is missing');
      }
    });

    it.each([
      ['TaskNotCancelableError', 400, 'FAILED_PRECONDITION'],
      ['ContentTypeNotSupportedError', 400, 'INVALID_ARGUMENT'],
      ['InvalidAgentResponseError', 500, 'INTERNAL'],
      ['PushNotificationNotSupportedError', 400, 'FAILED_PRECONDITION'],
      ['UnsupportedOperationError', 400, 'FAILED_PRECONDITION'],
      ['VersionNotSupportedError', 400, 'FAILED_PRECONDITION'],
      ['TaskNotFoundError', 404, 'NOT_FOUND'],
    ])('D16 with the statuses of v1.0.1, %s is %i', async (name, http, status) => {
      const refusal = await patched.peer(binding).refused('SendMessage', M(name));
      const { reason, code } = A2A_ERRORS[name]!;
      expect(refusal.reason).toBe(reason);
      if (binding === 'JSONRPC') expect(refusal).toMatchObject({ httpStatus: 200, code });
      else expect(refusal).toMatchObject({ httpStatus: http, code: http, status });
    });
  });
});
