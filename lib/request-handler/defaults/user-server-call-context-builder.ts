import { Inject, Injectable } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../../interfaces/module-options.js';
import {
  ServerCallContextBuilder,
  type CallRequest,
  type ServerCallContext,
  type TraceContext,
} from '../../interfaces/server-call-context.js';
import { toUser } from './to-user.js';

type Headers = CallRequest['headers'];

/** Headers that hold credentials never travel with a call, whatever the options say. */
export const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
]);

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const MAX_TRACESTATE = 512;

/**
 * Takes the user from `request.user`, where guards and Passport leave it. A host whose guards leave it elsewhere
 * extends this class and overrides `userOf`.
 *
 * @publicApi
 */
@Injectable()
export class UserServerCallContextBuilder extends ServerCallContextBuilder {
  readonly #forwarded: readonly string[];

  constructor(
    @Inject(A2A_OPTIONS)
    options: {
      readonly transport: Pick<ResolvedOptions['transport'], 'forwardHeaders'>;
    },
  ) {
    super();
    const names = options.transport.forwardHeaders.map((name) => name.toLowerCase());
    this.#forwarded = names.filter((name) => !CREDENTIALS.has(name));
  }

  override async build(call: CallRequest): Promise<ServerCallContext> {
    const trace = traceOf(call.headers);
    return Object.freeze({
      agent: call.agent,
      operation: call.operation,
      binding: call.binding,
      user: toUser(await this.userOf(call.request)),
      tenant: call.tenant,
      extensions: Object.freeze([...call.extensions]),
      headers: Object.freeze(this.#pick(call.headers)),
      ...(trace && { trace }),
    });
  }

  /** What the host's guards left on the request of Express or Fastify; nothing when nobody authenticated the caller. */
  protected userOf(request: unknown): unknown {
    const { user, raw } = request as { user?: unknown; raw?: { user?: unknown } };
    // Middleware on Fastify sees Node's request, guards see Fastify's.
    return user ?? raw?.user;
  }

  #pick(headers: Headers): Record<string, string> {
    const entries = this.#forwarded.map((name) => [name, single(headers, name)] as const);
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }
}

function single(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function traceOf(headers: Headers): TraceContext | undefined {
  const traceparent = single(headers, 'traceparent');
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return undefined;
  const tracestate = single(headers, 'tracestate');
  return { traceparent, ...(tracestate && tracestate.length <= MAX_TRACESTATE && { tracestate }) };
}
