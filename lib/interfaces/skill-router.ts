import type { SendMessageRequest } from '../protocol/model.js';
import type { AgentDefinition, SkillDefinition } from './agent-registry.js';

/**
 * Chooses the skill that handles a message. Called once per send, before anything is written, and by guards through `a2aCall()`.
 *
 * @publicApi
 */
export abstract class SkillRouter {
  /** Throws an A2AError when none fits. `skills` are the agent's skills that have a handler, in the order of declaration. */
  abstract route(
    request: SendMessageRequest,
    skills: readonly SkillDefinition[],
    agent: AgentDefinition,
  ): SkillDefinition;
}
