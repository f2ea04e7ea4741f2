import { Inject, Injectable } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../../interfaces/module-options.js';
import {
  ServerCallContextBuilder,
  type CallRequest,
  type ServerCallContext,
  type TraceContext,
} from '../../interfaces/server-call-context.js';
import { toUser } from '../../interfaces/to-user.js';

type Headers = CallRequest['headers'];

/** Headers that hold credentials never travel with a call, whatever the options say. */
export const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
]);

/** Shared, as calls are kept with the messages that came in them. */
const NONE: Readonly<Record<string, string>> = Object.freeze({});
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

  override build(call: CallRequest): ServerCallContext | Promise<ServerCallContext> {
    const user = this.userOf(call.request);
    return user instanceof Promise ? user.then((known) => this.#build(call, known)) : this.#build(call, user);
  }

  #build(
    { agent, operation, binding, tenant, extensions, headers }: CallRequest,
    user: unknown,
  ): ServerCallContext {
    const trace = traceOf(headers);
    const call = {
      agent,
      operation,
      binding,
      user: toUser(user),
      tenant,
      extensions,
      headers: this.#pick(headers),
    };
    return Object.freeze(trace ? { ...call, trace } : call);
  }

  /** What the host's guards left on the request of Express or Fastify; nothing when nobody authenticated the caller. */
  protected userOf(request: unknown): unknown {
    const { user, raw } = request as { user?: unknown; raw?: { user?: unknown } };
    // Middleware on Fastify sees Node's request, guards see Fastify's.
    return user ?? raw?.user;
  }

  #pick(headers: Headers): Readonly<Record<string, string>> {
    if (this.#forwarded.length === 0) return NONE;
    const picked: Record<string, string> = {};
    for (const name of this.#forwarded) {
      const value = single(headers, name);
      if (value !== undefined) picked[name] = value;
    }
    return picked;
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
