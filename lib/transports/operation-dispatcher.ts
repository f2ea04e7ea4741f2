import { Injectable } from '@nestjs/common';
import { SchemeSecurity } from '../guards/scheme-security.js';
import { SkillEnhancers } from '../guards/skill-enhancers.js';
import { isPromise } from '../interfaces/is-promise.js';
import { RequestHandler } from '../interfaces/request-handler.js';
import { ServerCallContextBuilder, type ServerCallContext } from '../interfaces/server-call-context.js';
import { ExtensionSupportRequiredError } from '../protocol/errors.js';
import {
  activate,
  EXTENSIONS_HEADER,
  formatExtensions,
  missingRequired,
  parseExtensions,
} from '../protocol/extensions.js';
import { noteLegacyBlocking } from './legacy-blocking.js';
import { isSend, OPERATIONS, type OperationName } from '../protocol/operations.js';
import type { SendMessageRequest } from '../protocol/model.js';
import { SkillSelection } from '../request-handler/skill-selection.js';
import { negotiateVersion, VERSION_HEADER } from '../protocol/version.js';
import type { SkillDefinition } from '../interfaces/agent-registry.js';
import { withoutKeys } from './credential-headers.js';
import type { HttpExchange } from '../http/http-exchange.js';
import type { IncomingCall } from './incoming-call.js';
import { Refusals } from './refusals.js';

/** The request handler's methods have the names of the operations, in lower camel case. */
const METHODS = Object.fromEntries(
  Object.keys(OPERATIONS).map((name) => [name, name.charAt(0).toLowerCase() + name.slice(1)]),
) as Record<OperationName, string>;

/** Shared, as calls are kept with the messages that came in them. */
const NONE: readonly string[] = Object.freeze([]);

type Invoke = (request: unknown, call: ServerCallContext, lastEventId?: number) => Promise<unknown>;

/** From an incoming call to the request handler, the same for every binding. Everything is checked before it is called. */
@Injectable()
export class OperationDispatcher {
  constructor(
    private readonly handler: RequestHandler,
    private readonly contexts: ServerCallContextBuilder,
    private readonly enhancers: SkillEnhancers,
    private readonly skills: SkillSelection,
    private readonly security: SchemeSecurity,
    private readonly refusals: Refusals,
  ) {}

  /** Resolves to the operation's response, or to an EventStream. Throws A2AErrors and what guards throw. */
  async dispatch(
    call: IncomingCall,
    exchange: HttpExchange,
    platform: readonly [request: unknown, response: unknown],
  ): Promise<unknown> {
    const { operation, params } = call.requested();
    const { headers } = call.http;
    const version = one(headers['a2a-version']);
    negotiateVersion(version, version ? undefined : call.query.getAll(VERSION_HEADER));
    const extensions = activateExtensions(call);
    if (extensions.length > 0) exchange.setHeader(EXTENSIONS_HEADER, formatExtensions(extensions));

    const request = call.request();
    if (isSend(operation)) noteLegacyBlocking(params);
    const building = this.contexts.build({
      agent: call.agent.id,
      operation,
      binding: call.binding.name,
      tenant: request.tenant ?? '',
      extensions,
      headers: withoutKeys(headers, call.agent),
      request: platform[0],
    });
    // Waiting for what is there already would cost each call a turn of its own.
    const built = isPromise(building) ? await building : building;
    const chosen = isSend(operation) ? this.skills.choose(request as SendMessageRequest, built) : undefined;
    const skill = isPromise(chosen) ? await chosen : chosen;
    const check =
      skill && this.security.applies(call.agent) && this.secure(skill, call, exchange, platform[0]);
    if (check) await check;
    const context: ServerCallContext = skill ? { ...built, skill: skill.id } : built;
    const operate = () =>
      this.operations[METHODS[operation]]!(request, context, lastEventId(call, operation));
    return await this.enhancers.run(call.agent.target, skill?.method, platform, operate);
  }

  /** What the skill requires on top of its agent, now that it is known. Throws the refusal. */
  private secure(
    skill: SkillDefinition,
    call: IncomingCall,
    exchange: HttpExchange,
    request: unknown,
  ): Promise<void> | undefined {
    return this.security.checkSkill(call.agent, skill, request as object)?.then((verdict) => {
      if (verdict?.admitted === false) throw this.refusals.refuse(verdict, call, exchange, skill.id);
    });
  }

  private get operations(): Record<string, Invoke> {
    return this.handler as unknown as Record<string, Invoke>;
  }
}

/** Throws ExtensionSupportRequiredError; the extensions that are in use otherwise. */
function activateExtensions(call: IncomingCall): readonly string[] {
  const header = call.http.headers['a2a-extensions'];
  const declared = call.agent.card.capabilities.extensions;
  if (header === undefined && declared === undefined) return NONE;
  const requested = parseExtensions(header);
  const missing = missingRequired(requested, declared);
  if (missing.length === 0) return activate(requested, declared);
  throw new ExtensionSupportRequiredError(
    `The agent requires ${missing.join(', ')}; name it in the ${EXTENSIONS_HEADER} header`,
    { metadata: { extensions: missing.join(', ') } },
  );
}

/** What is no number of ours is as good as none: the stream opens with the Task, and nothing is lost. */
function lastEventId(call: IncomingCall, operation: OperationName): number | undefined {
  const header = one(call.http.headers['last-event-id']);
  return operation === 'SubscribeToTask' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

function one(header: string | string[] = ''): string {
  return typeof header === 'string' ? header : header.join(', ');
}
