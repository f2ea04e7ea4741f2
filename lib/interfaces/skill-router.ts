import type { SendMessageRequest } from '../protocol/model.js';
import type { AgentDefinition, SkillDefinition } from './agent-registry.js';

/**
 * Chooses the skill that handles a message, before anything is written.
 *
 * @publicApi
 */
export abstract class SkillRouter {
  /**
   * Throws an A2AError when none fits.
   *
   * @param skills the agent's skills that have a handler, in the order of declaration.
   * @param current the skill that the task of a follow-up was begun with.
   */
  abstract route(
    request: SendMessageRequest,
    skills: readonly SkillDefinition[],
    agent: AgentDefinition,
    current?: SkillDefinition,
  ): SkillDefinition;
}
