import type { IncomingHttpHeaders } from 'node:http';
import type { AgentDefinition } from '../interfaces/agent-registry.js';
import { schemeOf } from '../interfaces/security.js';

const KNOWN = new WeakMap<AgentDefinition, ReadonlySet<string>>();

/** Names of the headers, in lower case, in which the agent's card expects API keys. */
export function keyHeaders(agent: AgentDefinition): ReadonlySet<string> {
  let names = KNOWN.get(agent);
  if (!names) KNOWN.set(agent, (names = find(agent)));
  return names;
}

/** API keys never travel with a call, whatever headers are forwarded. */
export function withoutKeys(headers: IncomingHttpHeaders, agent: AgentDefinition): IncomingHttpHeaders {
  const names = keyHeaders(agent);
  if (names.size === 0) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name)));
}

function find({ options }: AgentDefinition): Set<string> {
  const keys = Object.values(options.securitySchemes ?? {}).map(
    (declaration) => schemeOf(declaration).apiKeySecurityScheme,
  );
  return new Set(keys.flatMap((key) => (key?.location === 'header' ? [key.name.toLowerCase()] : [])));
}
