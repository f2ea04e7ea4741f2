import { Injectable, type Type } from '@nestjs/common';
import { DEFAULT_AGENT_PATH } from './interfaces/agent-paths.js';
import { A2ABootError } from './a2a.boot-error.js';
import { AGENT_UNDEFINED } from './a2a.messages.js';
import { trimSlashes } from './protocol/join-url.js';
import type { AgentFeature } from './interfaces/agent-options.js';

/** What an application decided about an agent, with the defaults filled in. */
export type ResolvedFeature = AgentFeature & Required<Pick<AgentFeature, 'path' | 'id' | 'bindings'>>;

/** An agent that forFeature() named, and the controllers that were generated for it. */
export interface NamedAgent {
  readonly feature: ResolvedFeature;
  readonly controllers: readonly Type[];
}

export function resolveFeature(agent: Type | AgentFeature): ResolvedFeature {
  const feature: AgentFeature = typeof agent === 'function' ? { agent } : agent;
  if (typeof feature?.agent !== 'function') throw new A2ABootError([AGENT_UNDEFINED]);
  return {
    ...feature,
    path: trimSlashes(feature.path ?? DEFAULT_AGENT_PATH),
    id: feature.id ?? feature.agent.name,
    bindings: feature.bindings ?? ['JSONRPC', 'HTTP+JSON'],
  };
}

/** Collects what every forFeature() of one application names. */
@Injectable()
export class AgentFeatures {
  readonly #agents: NamedAgent[] = [];

  add(agents: readonly NamedAgent[]): void {
    this.#agents.push(...agents);
  }

  list(): readonly NamedAgent[] {
    return this.#agents;
  }
}
