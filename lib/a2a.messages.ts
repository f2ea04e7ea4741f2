import type { FieldViolation } from './protocol/error-details.js';

/** Every text that an application may see while it boots: what is wrong, and how to mend it. */

export const FEATURE_WITHOUT_ROOT =
  'A2AModule.forFeature() needs A2AModule.forRoot(): add it to the imports of the root module. With isGlobal: false, ' +
  'pass the same dynamic module to every forFeature(agents, { imports: [...] }) as well';

export const TWO_ROOTS =
  'A2AModule.forRoot() is imported twice, so agents and ports of one would be unknown to the other: keep it in the root module only';

export const AGENT_UNDEFINED =
  'A2AModule.forFeature() was given something that is no class. If it is undefined, files import each other in a ' +
  'circle: import the agent from its own file instead of an index file';

export const BOOT_FAILED = (problems: readonly string[]) =>
  `The A2A agents of this application cannot start:\n${problems.map((problem) => `- ${problem}`).join('\n')}`;

export const NOT_AN_AGENT = (agent: string) =>
  `${agent} is named in A2AModule.forFeature(), but is no agent: decorate the class with @AgentExecutor({ name, description, version })`;

export const NOT_PROVIDED = (agent: string) =>
  `${agent} is named in A2AModule.forFeature(), but no module provides it: add ${agent} to the providers of the module that imports A2AModule.forFeature([${agent}])`;

export const NO_HANDLER = (agent: string) =>
  `${agent} handles no messages: give it an execute(context, eventQueue) method, or methods decorated with @Skill()`;

export const TWO_KINDS_OF_HANDLERS = (agent: string, methods: readonly string[]) =>
  `${agent} has both execute() and methods decorated with @Skill() (${methods.join(', ')}), so it is not clear which handles a message: ` +
  'move the decorators to the class, where they declare skills of execute(), or remove execute()';

export const SKILL_WITHOUT_HANDLER = (agent: string, skill: string) =>
  `${agent} declares the skill "${skill}" on the class or in its options, where only execute() can handle it, but has no execute(): decorate the method that handles it with @Skill() instead`;

export const TWO_SKILLS_WITH_ONE_ID = (agent: string, id: string, places: readonly string[]) =>
  `${agent} has ${places.length} skills with the id "${id}" (${places.join(', ')}): give each an id of its own`;

export const INVALID_CARD = (agent: string, { field, description }: FieldViolation, place?: string) =>
  `The card of ${agent} is not valid: ${field} ${description}. Mend it in ${place ?? `@AgentExecutor() of ${agent} or in the options of forFeature()`}`;

export const INVALID_PATH = (agent: string, path: string) =>
  `The path ${JSON.stringify(path)} of ${agent} is not valid: use letters, digits, ".", "_", "~" and "-" in segments divided by "/"`;

export const TWO_AGENTS_ON_ONE_PATH = (agents: readonly string[], path: string) =>
  `${agents.join(' and ')} are served at one path, "/${path}": give each a path of its own, as in A2AModule.forFeature([{ agent: ${agents[1]}, path: 'another' }])`;

export const TWO_AGENTS_WITH_ONE_ID = (agents: readonly string[], id: string) =>
  `${agents.join(' and ')} have one id, "${id}", and would share their tasks: give each an id of its own, as in A2AModule.forFeature([{ agent: ${agents[1]}, id: 'another' }])`;

export const TWO_WELL_KNOWN_AGENTS = (agents: readonly string[]) =>
  `${agents.join(' and ')} are all marked wellKnown, but an origin has one /.well-known/agent-card.json: mark one of them only`;

export const SCHEME_WITHOUT_GUARD = (agent: string, scheme: string, place: string) =>
  `${place} of ${agent} requires the scheme ${JSON.stringify(scheme)}, but nothing guards it, so it would keep nobody out: declare it in securitySchemes with ` +
  'httpBearer(), apiKey(), oauth2(), openIdConnect(), mutualTls() or httpBasic(), as { scheme, guard: MyGuard }, or, where a global guard or one on the class does, with hostGuarded({ … })';

export const INVALID_PUBLIC_URL = (publicUrl: string) =>
  `publicUrl ${JSON.stringify(publicUrl)} is not valid: it must be an absolute http or https URL without query, fragment and credentials, as in "https://api.example.com"`;

export const NO_AGENTS =
  'This application has no A2A agents: name them with A2AModule.forFeature([MyAgent]) in the module that provides them';

export const NO_WELL_KNOWN_AGENT =
  'None of the A2A agents is marked wellKnown, so /.well-known/agent-card.json of the origin answers 404; each card is served below the path of its agent';

export const NO_SKILLS = (agent: string) =>
  `The card of ${agent} lists no skills, so nobody learns what it can do: decorate the class with @Skill({ id, name, description, tags })`;

export const AGENT_SERVED = (name: string, agent: string, path: string, bindings: readonly string[]) =>
  `${name} (${agent}) at /${path} {${bindings.join(', ')}}`;

export const NO_PUBLIC_URL =
  'A2AModule has no publicUrl, so the URLs of the agent cards follow the Host header of each request: set publicUrl to the address that clients use';

export const LOCAL_PUBLIC_URL = (publicUrl: string) =>
  `publicUrl is ${publicUrl}, which only this machine can reach: set it to the address that clients use`;

export const MEMORY_IN_PRODUCTION = (ports: readonly string[]) =>
  `${ports.join(' and ')} keep the tasks in the memory of this process: a restart loses them, and other replicas do not see them. Give A2AModule.forRoot() implementations that processes share`;

export const MEMORY_WEBHOOKS_IN_PRODUCTION =
  'PushNotificationConfigStore keeps webhooks in the memory of this process, while TaskStore outlives it: a restart forgets them and what they have ' +
  'yet to be told, and other replicas do not see them. Give A2AModule.forRoot() a pushNotificationConfigStore that processes share';

export const CREDENTIALS_FORWARDED = (names: readonly string[]) =>
  `transport.forwardHeaders names ${names.join(', ')}, which hold credentials and are never forwarded: remove them`;

export const SIGNING_WITHOUT_PUBLIC_URL =
  'A2AModule has signing but no publicUrl, and a signature covers the URLs of the card: set publicUrl to the address that clients use, as in "https://api.example.com"';

export const INVALID_JWKS_PATH = (path: string) =>
  `signing.jwksPath ${JSON.stringify(path)} is not valid: it must be a path that starts with "/", as in "/.well-known/a2a-jwks.json"`;

export const SDKS_REFUSE_SIGNATURE = (name: string) =>
  `The card of ${name} has members that are empty, such as a security requirement without scopes. The official SDKs leave those out before they ` +
  'verify, so they refuse its signature: fill them in, or set signing.forSdks to sign once more their way';

export const SECRETS_UNSEALED =
  'The credentials and tokens of webhooks are stored as they come, for whoever can read the database: give A2AModule.forRoot() keys that seal them, as in ' +
  'secrets: { keys: [{ id: "2026-12", key: process.env.WEBHOOK_KEY }] }, with a key from "openssl rand -base64 32"';
