import type { Admitted, HttpRequest } from '../http/body-gate.js';
import { NO_BODY, type Body } from '../http/read-body.js';
import type { AgentDefinition, SkillDefinition } from '../interfaces/agent-registry.js';
import type { SkillRouter } from '../interfaces/skill-router.js';
import { parse } from '../protocol/door.js';
import type { SendMessageRequest } from '../protocol/model.js';
import { isSend, OPERATIONS, type OperationName, type RequestOf } from '../protocol/operations.js';
import type { A2APath } from './a2a-paths.js';
import type { Binding, BoundCall, RequestedOperation } from './binding.js';
import { Once } from './once.js';

/** What an incoming call needs to be understood. */
export interface CallTools {
  readonly router: SkillRouter;
  readonly maxDepth: number;
}

/** Key of the call on a platform's request. */
export const CALL = Symbol('A2A call');

type Carrier = { [CALL]?: IncomingCall };

/**
 * A call on its way in. What it asks for is worked out on demand and once: guards ask before the body is known to be
 * any good, the dispatcher asks again and gets the same answer, or the same error.
 */
export class IncomingCall implements BoundCall, Admitted {
  readonly agent: AgentDefinition;
  /** What follows the binding's path. */
  readonly rest: string;
  readonly #requested = new Once<RequestedOperation>();
  readonly #request = new Once<RequestOf<OperationName>>();
  readonly #skill = new Once<SkillDefinition | undefined>();
  note: unknown = null;
  readonly #queryText: string;
  #query: URLSearchParams | undefined;
  #body: Body = NO_BODY;

  constructor(
    readonly http: HttpRequest,
    path: A2APath,
    readonly binding: Binding,
    private readonly tools: CallTools,
  ) {
    this.agent = path.agent;
    this.rest = path.rest;
    this.#queryText = path.query;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#queryText));
  }

  get body(): Body {
    return this.#body;
  }

  /** Set by the body reader, before any guard runs. */
  set body(body: Body) {
    this.#body = body;
  }

  /** The operation and its parameters, not validated. Throws what is wrong with the envelope or the path. */
  requested(): RequestedOperation {
    return this.#requested.get(() => this.binding.read(this));
  }

  /** The validated request. Throws InvalidParamsError. */
  request(): RequestOf<OperationName> {
    return this.#request.get(() => {
      const { operation, params } = this.requested();
      return parse(OPERATIONS[operation].request, params, '', this.tools.maxDepth);
    });
  }

  /**
   * The skill that handles a send, for guards; undefined for other operations, for agents with a plain `execute()`, and for a follow-up that
   * names no skill: its task says which, and is looked up for its owner only.
   */
  skill(): SkillDefinition | undefined {
    return this.#skill.get(() => {
      const { operation } = this.requested();
      if (!isSend(operation)) return undefined;
      const handled = this.agent.skills.filter((skill) => skill.method !== undefined);
      if (handled.length === 0) return undefined;
      const request = this.request() as SendMessageRequest;
      if (request.message.taskId && request.message.metadata?.['skillId'] === undefined) return undefined;
      return this.tools.router.route(request, handled, this.agent);
    });
  }

  /** Lets go of what may be large, for streams that stay open long. Operation and skill stay known. */
  release(): void {
    this.#body = NO_BODY;
    const { operation } = this.requested();
    this.#requested.keep({ operation, params: {} });
    this.#request.keep({} as RequestOf<OperationName>);
  }
}

/** Leaves the call on the platform's request, where guards and the controller find it. */
export function attachCall(request: object, call: IncomingCall): void {
  (request as Carrier)[CALL] = call;
}

/** Finds the call on the platform's request; undefined when the request is none of ours. */
export function callOf(request: unknown): IncomingCall | undefined {
  return (request as Carrier | undefined)?.[CALL];
}
