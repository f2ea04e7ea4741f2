import type { Type } from '@nestjs/common';
import type { AgentFeature } from '../interfaces/agent-options.js';

const AGENT_FEATURE = 'nest-a2a:agent-feature';

/** Notes on a generated controller which agent it serves. */
export function setAgentFeature(controller: Type, feature: AgentFeature): void {
  Reflect.defineMetadata(AGENT_FEATURE, feature, controller);
}

/** The agent that a generated controller serves; undefined for any other class. */
export function getAgentFeature(controller: Type): AgentFeature | undefined {
  return Reflect.getMetadata(AGENT_FEATURE, controller) as AgentFeature | undefined;
}
