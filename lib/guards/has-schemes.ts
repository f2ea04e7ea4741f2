import { getAgentExecutorOptions } from '../decorators/metadata.js';
import type { AgentExecutorOptions, AgentFeature } from '../interfaces/agent-options.js';

/** Whether a card declares schemes, which takes a guard in front of the agent. */
export function hasSchemes({ securitySchemes = {} }: Pick<AgentExecutorOptions, 'securitySchemes'>): boolean {
  return Object.keys(securitySchemes).length > 0;
}

/** The same before the agents of an application are known, of what its decorator and `forFeature()` say. */
export function declaresSchemes({ agent, options }: AgentFeature): boolean {
  return hasSchemes({ ...getAgentExecutorOptions(agent), ...options });
}
