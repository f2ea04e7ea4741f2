import type { FieldViolation } from '../protocol/error-details.js';
import { InvalidParamsError } from '../protocol/errors.js';
import type { AgentCard, AgentSkill } from '../protocol/model.js';
import { buildAgentCard, type CardSource } from './build-agent-card.js';

/** Everything that is wrong with a card, by the path of the member: what the data model refuses, and what only the text of the specification does. */
export function cardViolations(source: CardSource): FieldViolation[] {
  try {
    const card = buildAgentCard(source, 'https://example.com');
    return [...urlViolations(card), ...skillViolations(card.skills), ...securityViolations(card)];
  } catch (error) {
    if (error instanceof InvalidParamsError) return [...error.violations];
    throw error;
  }
}

/** Whether it is an absolute http or https URL that a path can be added to. */
export function isBaseUrl(text: string): boolean {
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  return url !== undefined && !/[?#]/.test(text) && url.username === '' && url.password === '';
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function urlViolations(card: AgentCard): FieldViolation[] {
  const urls: [field: string, url: string | undefined][] = [
    ['provider.url', card.provider?.url],
    ['documentationUrl', card.documentationUrl],
    ['iconUrl', card.iconUrl],
    ...httpInterfaces(card),
  ];
  return urls
    .filter(([, url]) => url !== undefined && !isHttpUrl(url))
    .map(([field, url]) => ({ field, description: `must be an absolute URL, not ${JSON.stringify(url)}` }));
}

/** gRPC addresses and those of a custom binding need not be URLs of the web. */
function httpInterfaces(card: AgentCard): [string, string][] {
  return card.supportedInterfaces
    .map(({ url, protocolBinding }, i) => [`supportedInterfaces[${i}].url`, url, protocolBinding] as const)
    .filter(([, , binding]) => binding === 'JSONRPC' || binding === 'HTTP+JSON')
    .map(([field, url]) => [field, url]);
}

function skillViolations(skills: readonly AgentSkill[]): FieldViolation[] {
  const untagged = skills.filter((skill) => skill.tags.length === 0);
  return untagged.map((skill) => ({
    field: `skills[${skills.indexOf(skill)}].tags`,
    description: 'must have at least one element',
  }));
}

/** A requirement that names no declared scheme could never be met. */
function securityViolations(card: AgentCard): FieldViolation[] {
  const known = Object.keys(card.securitySchemes ?? {});
  const all = [
    { path: 'securityRequirements', requirements: card.securityRequirements ?? [] },
    ...card.skills.map((skill, i) => ({
      path: `skills[${i}].securityRequirements`,
      requirements: skill.securityRequirements ?? [],
    })),
  ];
  return all.flatMap(({ path, requirements }) =>
    requirements.flatMap(({ schemes = {} }, i) =>
      Object.keys(schemes)
        .filter((name) => !known.includes(name))
        .map((name) => ({
          field: `${path}[${i}].schemes`,
          description: `names ${JSON.stringify(name)}, which securitySchemes does not declare`,
        })),
    ),
  );
}
