import { BINDING_PATHS } from '../interfaces/agent-paths.js';
import type { AgentExecutorOptions } from '../interfaces/agent-options.js';
import { schemeOf, type SchemeDeclaration } from '../interfaces/security.js';
import type { ProtocolBinding } from '../interfaces/server-call-context.js';
import { parse } from '../protocol/door.js';
import type {
  AgentCapabilities,
  AgentCard,
  AgentInterface,
  AgentSkill,
  SecurityScheme,
} from '../protocol/model.js';
import { PROTOCOL_VERSION } from '../protocol/version.js';
import { joinUrl } from '../protocol/join-url.js';
import { RESUME_EXTENSION } from './resume-extension.js';

/** What a card is made of, apart from the origin it is served at. */
export interface CardSource {
  readonly options: AgentExecutorOptions;
  readonly skills: readonly AgentSkill[];
  /** Path of the agent's routes as the outside sees them, without slashes at the ends. */
  readonly path: string;
  readonly bindings: readonly ProtocolBinding[];
  readonly additionalInterfaces: readonly AgentInterface[];
}

const TEXT = ['text/plain'];

/**
 * Builds the public card (§4.4.1).
 * @param baseUrl where the application is reached, e.g. `https://api.example.com`.
 * @throws InvalidParamsError with the paths of all members that the data model refuses.
 */
export function buildAgentCard(source: CardSource, baseUrl: string): AgentCard {
  const { options } = source;
  // The door leaves out what is no part of a card, such as a skill's method.
  return parse('AgentCard', {
    ...options,
    supportedInterfaces: interfacesOf(source, baseUrl),
    capabilities: capabilitiesOf(options),
    defaultInputModes: options.defaultInputModes ?? TEXT,
    defaultOutputModes: options.defaultOutputModes ?? TEXT,
    skills: source.skills,
    ...(options.securitySchemes && { securitySchemes: entriesOf(options.securitySchemes) }),
  });
}

/** Without what guards them. */
function entriesOf(schemes: Readonly<Record<string, SchemeDeclaration>>): Record<string, SecurityScheme> {
  return Object.fromEntries(
    Object.entries(schemes).map(([name, declaration]) => [name, schemeOf(declaration)]),
  );
}

function interfacesOf(source: CardSource, baseUrl: string): AgentInterface[] {
  const own = source.bindings.map((protocolBinding) => ({
    url: joinUrl(baseUrl, source.path, BINDING_PATHS[protocolBinding]),
    protocolBinding,
    protocolVersion: PROTOCOL_VERSION,
  }));
  return [...own, ...source.additionalInterfaces];
}

function capabilitiesOf({ capabilities = {}, extensions = [] }: AgentExecutorOptions): AgentCapabilities {
  const streaming = capabilities.streaming ?? true;
  const resumable = streaming && !extensions.some(({ uri }) => uri === RESUME_EXTENSION.uri);
  return {
    streaming,
    pushNotifications: capabilities.pushNotifications ?? false,
    extendedAgentCard: capabilities.extendedAgentCard ?? false,
    extensions: resumable ? [...extensions, RESUME_EXTENSION] : [...extensions],
  };
}
