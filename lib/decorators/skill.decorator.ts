import type { SkillOptions } from '../interfaces/agent-options.js';
import type { SkillHandler } from '../interfaces/skill-handler.js';
import { addSkill } from './metadata.js';

/** Decorates an agent class, or one of its methods that is a SkillHandler. */
export interface SkillDecorator {
  (agent: abstract new (...args: never[]) => unknown): void;
  <Handler extends SkillHandler>(
    agent: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void;
}

/**
 * Declares a skill of the card (§4.4.5). On a method: the method handles the messages for which the SkillRouter
 * chooses the skill. On the class: `execute()` handles it. May be repeated on both.
 *
 * @publicApi
 * @example
 * @Skill({ id: 'track', name: 'Track an order', description: 'Where is my parcel?', tags: ['orders'] })
 * async track(context: RequestContext) {
 *   return `Order ${context.userInput} is on its way`;
 * }
 */
export function Skill(options: SkillOptions): SkillDecorator {
  return (agent: object, _method?: string | symbol, descriptor?: TypedPropertyDescriptor<SkillHandler>) => {
    // Metadata of a method belongs on the function, where Nest keeps that of guards and interceptors.
    addSkill(descriptor?.value ?? agent, options);
  };
}
