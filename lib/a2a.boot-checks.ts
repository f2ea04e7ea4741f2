import type { Type } from '@nestjs/common';
import * as messages from './a2a.messages.js';
import { cardSourceOf, type FoundAgent } from './a2a.found-agent.js';
import { cardViolations } from './agent-card/card-violations.js';
import { badNumbers } from './interfaces/bad-numbers.js';
import { isGuarded } from './interfaces/security.js';
import type { SkillDefinition } from './interfaces/agent-registry.js';
import type { ResolvedOptions } from './interfaces/module-options.js';

const PATH = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

/** What is wrong with the numbers of the module's options. */
export function numberProblems(options: ResolvedOptions): string[] {
  const { cardMaxAge, transport, execution, retention, recovery, idempotency, limits, push, urls } = options;
  const groups = { transport, execution, retention, recovery, idempotency, limits, push, urls };
  return [
    ...badNumbers({ cardMaxAge }),
    ...Object.entries(groups).flatMap(([group, members]) => badNumbers(members, `${group}.`)),
  ];
}

/** What is wrong with one agent. */
export function agentProblems(agent: FoundAgent): string[] {
  const { feature } = agent;
  const name = feature.agent.name;
  return [
    ...handlerProblems(agent),
    ...skillIdProblems(agent),
    ...cardProblems(agent),
    ...securityProblems(agent),
    ...(feature.path !== '' && !PATH.test(feature.path) ? [messages.INVALID_PATH(name, feature.path)] : []),
  ];
}

/** What is wrong between the agents of an application. */
export function applicationProblems(agents: readonly FoundAgent[]): string[] {
  const names = (some: readonly FoundAgent[]) => some.map(({ feature }) => feature.agent.name);
  const wellKnown = agents.filter(({ feature }) => feature.wellKnown);
  return [
    ...repeated(agents, ({ path }) => path).map(([path, some]) =>
      messages.TWO_AGENTS_ON_ONE_PATH(names(some), path),
    ),
    ...repeated(agents, ({ feature }) => feature.id).map(([id, some]) =>
      messages.TWO_AGENTS_WITH_ONE_ID(names(some), id),
    ),
    ...(wellKnown.length > 1 ? [messages.TWO_WELL_KNOWN_AGENTS(names(wellKnown))] : []),
  ];
}

function handlerProblems({ feature, skills }: FoundAgent): string[] {
  const { name } = feature.agent;
  const methods = skills.flatMap(({ method }) => method ?? []);
  if (hasExecute(feature.agent))
    return methods.length > 0 ? [messages.TWO_KINDS_OF_HANDLERS(name, methods)] : [];
  if (methods.length === 0) return [messages.NO_HANDLER(name)];
  return skills.filter(({ method }) => !method).map(({ id }) => messages.SKILL_WITHOUT_HANDLER(name, id));
}

function hasExecute(agent: Type): boolean {
  return typeof (agent.prototype as { execute?: unknown }).execute === 'function';
}

function skillIdProblems({ feature, skills }: FoundAgent): string[] {
  const { name } = feature.agent;
  const identified = skills.filter(({ id }) => id);
  return repeated(identified, ({ id }) => id).map(([id, some]) =>
    messages.TWO_SKILLS_WITH_ONE_ID(name, id, some.map(placeOf)),
  );
}

function cardProblems(agent: FoundAgent): string[] {
  return cardViolations(cardSourceOf(agent)).map((violation) => {
    const index = /^skills\[(\d+)\]/.exec(violation.field)?.[1];
    const skill = index === undefined ? undefined : agent.skills[Number(index)];
    const { name } = agent.feature.agent;
    return messages.INVALID_CARD(
      name,
      violation,
      skill && `@Skill() on ${name}${skill.method ? `.${skill.method}()` : ''}`,
    );
  });
}

/** Schemes that are required, but guarded by nothing. */
function securityProblems({ feature, options, skills }: FoundAgent): string[] {
  const { securitySchemes = {}, securityRequirements = [] } = options;
  const required = [
    { place: 'securityRequirements', requirements: securityRequirements },
    ...skills.map((skill) => ({
      place: `The skill "${skill.id}"`,
      requirements: skill.securityRequirements ?? [],
    })),
  ];
  return required.flatMap(({ place, requirements }) => {
    const names = new Set(requirements.flatMap(({ schemes = {} }) => Object.keys(schemes)));
    return [...names]
      .filter((name) => Object.hasOwn(securitySchemes, name) && !isGuarded(securitySchemes[name]!))
      .map((name) => messages.SCHEME_WITHOUT_GUARD(feature.agent.name, name, place));
  });
}

function placeOf({ method }: SkillDefinition): string {
  return method ? `${method}()` : 'on the class';
}

/** The groups of more than one with the same key. */
function repeated<T>(items: readonly T[], key: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups].filter(([, group]) => group.length > 1);
}
