import type { AgentCard, AgentSkill, SecurityRequirement } from '../../protocol/model.js';
import { MissingCredentialsError } from './credential-errors.js';

/** Schemes to call with, and the scopes that each needs. */
export type ChosenSchemes = ReadonlyMap<string, readonly string[]>;

/** Says what keeps a scheme from being used; undefined where its credential is there. */
export type FindObstacle = (scheme: string, scopes: readonly string[]) => Promise<string | undefined>;

/**
 * Takes the first alternative of the agent's requirements whose schemes all have credentials, and on top one of the skill's. An agent or a
 * skill that admits strangers is called with credentials nevertheless, where there are some.
 *
 * @throws MissingCredentialsError
 */
export async function chooseSchemes(
  card: AgentCard,
  skill: AgentSkill | undefined,
  findObstacle: FindObstacle,
): Promise<ChosenSchemes> {
  const ofAgent = requirementsOf(card);
  const ofSkill = skill?.securityRequirements ?? [];
  // A skill for everybody is the exception from what its agent requires.
  const open = ofSkill.some(isEmpty) ? [...ofAgent, EMPTY] : ofAgent;
  return merged(await firstComplete(open, findObstacle), await firstComplete(ofSkill, findObstacle));
}

const EMPTY: SecurityRequirement = {};

/** An agent that requires nothing may still like to know who calls. */
function requirementsOf({
  securityRequirements = [],
  securitySchemes = {},
}: AgentCard): SecurityRequirement[] {
  if (securityRequirements.length > 0) return securityRequirements;
  return [...Object.keys(securitySchemes).map((name) => ({ schemes: { [name]: {} } })), EMPTY];
}

async function firstComplete(
  requirements: readonly SecurityRequirement[],
  findObstacle: FindObstacle,
): Promise<SecurityRequirement> {
  const missing: string[] = [];
  for (const requirement of requirements) {
    if (isEmpty(requirement)) continue;
    const obstacle = await firstObstacle(requirement, findObstacle);
    if (obstacle === undefined) return requirement;
    missing.push(obstacle);
  }
  if (missing.length === 0 || requirements.some(isEmpty)) return EMPTY;
  throw new MissingCredentialsError(missing);
}

async function firstObstacle(
  { schemes = {} }: SecurityRequirement,
  findObstacle: FindObstacle,
): Promise<string | undefined> {
  for (const [name, { list = [] }] of Object.entries(schemes)) {
    const obstacle = await findObstacle(name, list);
    if (obstacle !== undefined) return `${name}: ${obstacle}`;
  }
  return undefined;
}

function merged(...requirements: readonly SecurityRequirement[]): ChosenSchemes {
  const all = new Map<string, readonly string[]>();
  for (const [name, { list = [] }] of requirements.flatMap(({ schemes = {} }) => Object.entries(schemes))) {
    all.set(name, [...new Set([...(all.get(name) ?? []), ...list])]);
  }
  return all;
}

function isEmpty({ schemes = {} }: SecurityRequirement): boolean {
  return Object.keys(schemes).length === 0;
}
