import type { Type } from '@nestjs/common';
import type { AgentCard, AgentSkill } from '../protocol/model.js';
import type { AgentExecutorOptions, ExtendedCard } from './agent-options.js';

/** A skill of the card, and the method that handles it. */
export interface SkillDefinition extends AgentSkill {
  /** Name of the handler method; absent when the agent's plain `execute()` handles the skill. */
  readonly method?: string;
}

/** An agent of this application, as found at boot. */
export interface AgentDefinition {
  /** Stable name under which its tasks are stored; default: the class's name. */
  readonly id: string;
  /** The class that carries `@AgentExecutor()`. */
  readonly target: Type;
  readonly options: AgentExecutorOptions;
  readonly skills: readonly SkillDefinition[];
  /** Path of its routes as the outside sees them, without slashes at the ends: global prefix, version and module path included. */
  readonly path: string;
  /** Whether its card is also served at the origin's well-known path. */
  readonly wellKnown: boolean;
  readonly card: AgentCard;
  readonly extendedCard?: ExtendedCard;
}

/**
 * The agents of this application.
 *
 * @publicApi
 */
export abstract class AgentRegistry {
  /** Throws when there is no agent of that id. */
  abstract get(id: string): AgentDefinition;

  abstract list(): readonly AgentDefinition[];
}
