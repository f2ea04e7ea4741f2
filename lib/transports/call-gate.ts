import { Inject, Injectable } from '@nestjs/common';
import type { BodyGate, PlatformRequest } from '../http/body-gate.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { ProtocolBinding } from '../interfaces/server-call-context.js';
import { SkillRouter } from '../interfaces/skill-router.js';
import { InvalidRequestError } from '../protocol/errors.js';
import { A2APaths } from './a2a-paths.js';
import type { Binding } from './binding.js';
import { corsHeaders, preflightHeaders } from './cors.js';
import { respondWithError } from './error-response.js';
import type { HttpExchange } from '../http/http-exchange.js';
import { attachCall, IncomingCall, type CallTools } from './incoming-call.js';
import { JsonRpcBinding } from './json-rpc-binding.js';
import { RestBinding } from './rest-binding.js';

/** Stands before all routes and picks out what is for an agent; requests to the host's own routes pass untouched. */
@Injectable()
export class CallGate implements BodyGate<IncomingCall> {
  readonly bodyLimit: number;
  readonly #bindings: Readonly<Record<ProtocolBinding, Binding>> = {
    JSONRPC: new JsonRpcBinding(),
    'HTTP+JSON': new RestBinding(),
  };
  readonly #tools: CallTools;

  constructor(
    private readonly paths: A2APaths,
    router: SkillRouter,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {
    this.bodyLimit = options.transport.bodyLimit;
    this.#tools = { router, maxDepth: options.transport.maxDepth };
  }

  /** The call that a request makes, attached to it; undefined for a request of the host's. */
  admit(request: PlatformRequest): IncomingCall | undefined {
    const path = this.paths.find(request.url);
    if (!path) return undefined;
    const http = { method: request.method, headers: { ...request.headers } };
    const call = new IncomingCall(http, path, this.#bindings[path.binding], this.#tools);
    attachCall(request, call);
    return call;
  }

  /**
   * Answers what no route could: preflights, which come without credentials, so before guards, and paths that the
   * platform's router would choke on. True when answered.
   */
  answerEarly(call: IncomingCall, exchange: HttpExchange): boolean {
    const { method, headers } = call.http;
    const preflight = preflightHeaders(this.options.cors, method, headers);
    setHeaders(exchange, preflight ?? corsHeaders(this.options.cors, headers));
    if (preflight) {
      exchange.end(204);
      return true;
    }
    if (isDecodable(call.rest)) return false;
    const error = new InvalidRequestError('The path has a malformed percent-encoding');
    respondWithError(call, error, exchange, this.options.specPatch);
    return true;
  }
}

/** What the host's own CORS handling said already stands. */
function setHeaders(exchange: HttpExchange, headers: Readonly<Record<string, string>>): void {
  if (exchange.hasHeader('access-control-allow-origin')) return;
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
