import type { ResolvedFeature } from './a2a.features.js';
import type { CardSource } from './agent-card/build-agent-card.js';
import { getAgentExecutorOptions, getSkills } from './decorators/metadata.js';
import type { AgentExecutorOptions } from './interfaces/agent-options.js';
import type { SkillDefinition } from './interfaces/agent-registry.js';

/** An agent as its decorators and its feature describe it, before anything is checked. */
export interface FoundAgent {
  readonly feature: ResolvedFeature;
  readonly options: AgentExecutorOptions;
  readonly skills: readonly SkillDefinition[];
  /** As the outside sees it. */
  readonly path: string;
  /** Without global prefix and version. */
  readonly barePath: string;
}

/** Puts the decorators' and the feature's options together; undefined when the class is no agent. */
export function describeAgent(
  feature: ResolvedFeature,
  paths: Pick<FoundAgent, 'path' | 'barePath'>,
): FoundAgent | undefined {
  const decorated = getAgentExecutorOptions(feature.agent);
  if (!decorated) return undefined;
  const options: AgentExecutorOptions = {
    ...decorated,
    ...feature.options,
    capabilities: { ...decorated.capabilities, ...feature.options?.capabilities },
  };
  return { feature, options, skills: [...(options.skills ?? []), ...getSkills(feature.agent)], ...paths };
}

export function cardSourceOf({ feature, options, skills, path }: FoundAgent): CardSource {
  const { bindings, additionalInterfaces = [] } = feature;
  return { options, skills, path, bindings, additionalInterfaces };
}
