import type { Type } from '@nestjs/common';
import type {
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
  SecurityRequirement,
} from '../protocol/model.js';
import type { SchemeDeclaration } from './security.js';
import type { ProtocolBinding, ServerCallContext } from './server-call-context.js';

/** A skill of the card (§4.4.5). */
export type SkillOptions = AgentSkill;

/** The extended card (§3.1.11): one for all authenticated callers, or made for each. */
export type ExtendedCard =
  Partial<AgentCard> | ((call: ServerCallContext, card: AgentCard) => AgentCard | Promise<AgentCard>);

/** What `@AgentExecutor()` takes: the agent's part of its card (§4.4.1), and how it runs. */
export interface AgentExecutorOptions {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly provider?: AgentProvider;
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  /** Streaming is on unless said otherwise; push notifications and the extended card are off. */
  readonly capabilities?: Omit<AgentCapabilities, 'extensions'>;
  readonly extensions?: readonly AgentExtension[];
  /** Default `['text/plain']`. */
  readonly defaultInputModes?: readonly string[];
  /** Default `['text/plain']`. */
  readonly defaultOutputModes?: readonly string[];
  /** Skills that `execute()` handles; those on methods are added. */
  readonly skills?: readonly AgentSkill[];
  /** How callers may identify themselves: entries of the card, and what guards them. */
  readonly securitySchemes?: Readonly<Record<string, SchemeDeclaration>>;
  /** What every call needs: one of these, with all of its schemes and their scopes. An empty one, `{}`, lets strangers in. */
  readonly securityRequirements?: readonly SecurityRequirement[];
  /**
   * What becomes of a run whose process is lost or shut down: the task fails with the reason `interrupted`, or the message runs again, with
   * `context.attempt` above 1, on whichever process comes first. Default `fail`; choose `retry` when a run may safely be repeated.
   */
  readonly onInterrupted?: 'fail' | 'retry';
}

/** What an application decides about one of its agents. */
export interface AgentFeature {
  readonly agent: Type;
  /** Path of its routes below the module's path and the global prefix. Default `a2a`. */
  readonly path?: string;
  /** Stable name under which its tasks are stored. Default: the class's name. */
  readonly id?: string;
  /** Serves its card at the origin's `/.well-known/agent-card.json` too. Default: true for the only agent of an application. */
  readonly wellKnown?: boolean;
  /** Bindings that are served and declared in this order (§5.2). Default both, JSONRPC first. */
  readonly bindings?: readonly ProtocolBinding[];
  /** More interfaces for the card: another agent host's, or gRPC. */
  readonly additionalInterfaces?: readonly AgentInterface[];
  /** Overrides parts of the decorator's options: the same class may serve as several agents. */
  readonly options?: Partial<AgentExecutorOptions>;
  /** Served by GetExtendedAgentCard when the card declares the capability. */
  readonly extendedCard?: ExtendedCard;
}
