import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { AgentDefinition, SkillDefinition } from '../interfaces/agent-registry.js';
import { admitsStrangers, PUBLIC_ACCESS } from '../interfaces/requirements.js';
import { HOST_GUARD, isGuarded } from '../interfaces/security.js';
import type { SecurityRequirement } from '../protocol/model.js';
import { AppGuards } from './app-guards.js';
import { hasSchemes } from './has-schemes.js';
import { RequestSecurity } from './request-security.js';
import { decide, type SecurityVerdict } from './security-verdict.js';

/** Where a request keeps what was found out of it. A member of it: weak maps of requests burden the collector. */
const KNOWN = Symbol('A2A security');

type Checked = { [KNOWN]?: Known };

/** What was found out of a request by its first check. */
interface Known {
  readonly security: RequestSecurity;
  /** Let in only because of the skill that the message seemed to be for. */
  readonly byPublicSkill: boolean;
}

/** What an agent says of all its calls. */
interface AgentRules {
  readonly requirements: readonly SecurityRequirement[];
  /** Whether all of it is left to the host's own guards. */
  readonly isHosts: boolean;
  readonly hasPublicSkill: boolean;
}

/**
 * Evaluates `securityRequirements`, those of the agent and, on top, those of the skill that was chosen. A skill that
 * admits strangers is the one exception from what its agent requires.
 */
@Injectable()
export class SchemeSecurity {
  readonly #rules = new Map<AgentDefinition, AgentRules>();

  constructor(private readonly guards: AppGuards) {}

  /** Makes the application's guards, so that one that cannot be made keeps the application from starting. */
  async prepare(agents: readonly AgentDefinition[]): Promise<void> {
    for (const { options, target } of agents) {
      for (const declaration of Object.values(options.securitySchemes ?? {})) {
        if (!isGuarded(declaration)) continue;
        const { guard } = declaration;
        if (typeof guard === 'function') await this.guards.prepare(guard, target);
      }
    }
  }

  /** Whether the agent has schemes, and so a guard in front of its calls. */
  applies(agent: AgentDefinition): boolean {
    return hasSchemes(agent.options);
  }

  /** Before anything is known of the request but its path, unless one of the skills is for everybody. */
  async check(
    agent: AgentDefinition,
    context: ExecutionContext,
    skillOf: () => SkillDefinition | undefined,
  ): Promise<SecurityVerdict | undefined> {
    const security = new RequestSecurity(agent, context, this.guards);
    const { requirements, isHosts, hasPublicSkill } = this.#rulesOf(agent);
    const skill = hasPublicSkill ? skillOf() : undefined;
    const byPublicSkill = skill !== undefined && isPublic(skill);
    context.switchToHttp().getRequest<Checked>()[KNOWN] = { security, byPublicSkill };
    if (isHosts) return undefined;
    return decide(byPublicSkill ? [...requirements, ...PUBLIC_ACCESS] : requirements, security.authenticate);
  }

  /** When the skill of a send is chosen for good. Mostly there is nothing more to check, and nothing to wait for. */
  checkSkill(
    agent: AgentDefinition,
    skill: SkillDefinition,
    request: object,
  ): Promise<SecurityVerdict | undefined> | undefined {
    const known = (request as Checked)[KNOWN];
    if (!known) throw new Error(`A call of ${agent.id} came past the guard of its schemes`);
    const { security, byPublicSkill } = known;
    if (byPublicSkill && !isPublic(skill)) return this.#checkAfterAll(agent, skill, security);
    return this.#checkRequirements(agent, skill, security);
  }

  /** The skill is not the public one for which the call was let in. */
  async #checkAfterAll(
    agent: AgentDefinition,
    skill: SkillDefinition,
    security: RequestSecurity,
  ): Promise<SecurityVerdict | undefined> {
    const verdict = await decide(this.#rulesOf(agent).requirements, security.authenticate);
    return verdict.admitted ? this.#checkRequirements(agent, skill, security) : verdict;
  }

  #checkRequirements(
    agent: AgentDefinition,
    { securityRequirements = [] }: SkillDefinition,
    security: RequestSecurity,
  ): Promise<SecurityVerdict> | undefined {
    if (securityRequirements.length === 0 || areHosts(agent, securityRequirements)) return undefined;
    return decide(securityRequirements, security.authenticate);
  }

  /** Asks one scheme, for a route of the host. */
  checkScheme(
    agent: AgentDefinition,
    scheme: string,
    scopes: readonly string[],
    context: ExecutionContext,
  ): Promise<SecurityVerdict> {
    const { authenticate } = new RequestSecurity(agent, context, this.guards);
    return decide([{ schemes: { [scheme]: { list: [...scopes] } } }], authenticate);
  }

  #rulesOf(agent: AgentDefinition): AgentRules {
    const known = this.#rules.get(agent);
    if (known) return known;
    const requirements = requirementsOf(agent);
    const rules = {
      requirements,
      isHosts: areHosts(agent, requirements),
      hasPublicSkill: agent.skills.some(isPublic),
    };
    this.#rules.set(agent, rules);
    return rules;
  }
}

function isPublic({ securityRequirements }: SkillDefinition): boolean {
  return admitsStrangers(securityRequirements);
}

/** An agent that requires nothing still learns who calls, from whichever scheme has credentials. */
function requirementsOf({ options }: AgentDefinition): readonly SecurityRequirement[] {
  const { securityRequirements = [], securitySchemes = {} } = options;
  if (securityRequirements.length > 0) return securityRequirements;
  const guarded = Object.entries(securitySchemes).filter(
    ([, declaration]) => isGuarded(declaration) && declaration.guard !== HOST_GUARD,
  );
  return [...PUBLIC_ACCESS, ...guarded.map(([name]) => ({ schemes: { [name]: {} } }))];
}

/** Whether all of it is left to the host's own guards. */
function areHosts({ options }: AgentDefinition, requirements: readonly SecurityRequirement[]): boolean {
  const names = requirements.flatMap(({ schemes = {} }) => Object.keys(schemes));
  return (
    names.length > 0 &&
    names.every((name) => {
      const declaration = options.securitySchemes?.[name];
      return declaration !== undefined && isGuarded(declaration) && declaration.guard === HOST_GUARD;
    })
  );
}
