import { Inject, Injectable, Optional, type InjectionToken } from '@nestjs/common';
import { BINDING_PATHS } from '../interfaces/agent-paths.js';
import { AgentRegistry, type AgentDefinition } from '../interfaces/agent-registry.js';
import type { ProtocolBinding } from '../interfaces/server-call-context.js';

/** Token of a boolean: false in a process that serves nothing over HTTP. Not provided means true. */
export const A2A_SERVES_HTTP: InjectionToken<boolean> = Symbol('A2A_SERVES_HTTP');

/** Where a URL leads. */
export interface A2APath {
  readonly agent: AgentDefinition;
  readonly binding: ProtocolBinding;
  /** What follows the binding's path, as it was sent: percent-encoded, empty or with a leading slash. */
  readonly rest: string;
  /** What follows the question mark. */
  readonly query: string;
}

interface Base {
  readonly prefix: string;
  readonly agent: AgentDefinition;
  readonly binding: ProtocolBinding;
}

/** Tells the URLs of the agents from those of the host application, which are none of our business. */
@Injectable()
export class A2APaths {
  #bases: readonly Base[] = [];

  constructor(
    private readonly registry: AgentRegistry,
    @Optional() @Inject(A2A_SERVES_HTTP) private readonly served: boolean = true,
  ) {}

  find(url: string): A2APath | undefined {
    if (!this.served) return undefined;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const base = this.bases().find(({ prefix }) => isBelow(prefix, path));
    if (!base) return undefined;
    return {
      agent: base.agent,
      binding: base.binding,
      rest: path.slice(base.prefix.length),
      query: mark < 0 ? '' : url.slice(mark + 1),
    };
  }

  /** The registry fills up while the application boots, before the first request. */
  private bases(): readonly Base[] {
    const agents = this.registry.list();
    if (this.#bases.length !== agents.length * 2) {
      const bindings = Object.keys(BINDING_PATHS) as ProtocolBinding[];
      this.#bases = agents.flatMap((agent) =>
        bindings.map((binding) => ({ prefix: prefixOf(agent, binding), agent, binding })),
      );
    }
    return this.#bases;
  }
}

function prefixOf(agent: AgentDefinition, binding: ProtocolBinding): string {
  return (agent.path ? `/${agent.path}` : '') + `/${BINDING_PATHS[binding]}`;
}

function isBelow(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}
