import { Inject, Injectable, Logger, type OnModuleInit, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { agentProblems, applicationProblems, numberProblems } from './a2a.boot-checks.js';
import { A2ABootError } from './a2a.boot-error.js';
import { A2A_EXTRAS } from './a2a.constants.js';
import { A2AFeatureModule } from './a2a.feature-module.js';
import { AgentFeatures, type NamedAgent } from './a2a.features.js';
import { cardSourceOf, describeAgent, type FoundAgent } from './a2a.found-agent.js';
import * as messages from './a2a.messages.js';
import { Secrets } from './a2a.secrets.js';
import { outsidePath, routerPath } from './http/outside-path.js';
import type { AgentCard } from './protocol/model.js';
import { AgentCardRoutes, type ServedCard } from './agent-card/agent-card.routes.js';
import { CardSigning } from './agent-card/card-signing.js';
import { isBaseUrl } from './agent-card/card-violations.js';
import { CardVersions } from './agent-card/card-versions.js';
import { joinUrl, trimSlashes } from './protocol/join-url.js';
import { listeningUrl } from './agent-card/listening-url.js';
import { SchemeSecurity } from './guards/scheme-security.js';
import type { AgentDefinition } from './interfaces/agent-registry.js';
import { A2A_OPTIONS, type A2AModuleExtras, type ResolvedOptions } from './interfaces/module-options.js';

/** Turns what forFeature() named into agents when the application boots, or says all that is wrong. */
@Injectable()
export class A2AExplorer implements OnModuleInit {
  readonly #logger = new Logger('A2AModule');
  #agents: readonly AgentDefinition[] = [];
  #explored = false;
  #cards: readonly ServedCard[] = [];

  constructor(
    private readonly features: AgentFeatures,
    private readonly moduleRef: ModuleRef,
    private readonly modules: ModulesContainer,
    private readonly config: ApplicationConfig,
    private readonly host: HttpAdapterHost,
    private readonly routes: AgentCardRoutes,
    private readonly security: SchemeSecurity,
    private readonly signing: CardSigning,
    private readonly secrets: Secrets,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(A2A_EXTRAS) private readonly extras: A2AModuleExtras,
  ) {}

  /** Empty until the module is initialised. */
  get agents(): readonly AgentDefinition[] {
    return this.#agents;
  }

  /** Explores for applications without HTTP, whose modules nobody asks for middleware; the guards of schemes take time to make. */
  async onModuleInit(): Promise<void> {
    this.explore();
    await this.security.prepare(this.#agents);
    await this.#sign();
  }

  /** To be called when all providers are made. Works once. */
  explore(): void {
    if (this.#explored) return;
    this.#explored = true;
    const found = this.#find();
    const owner = wellKnownOwner(found);
    const cards = found.map((agent) => this.#serve(agent, agent === owner));
    this.#cards = cards;
    this.#agents = found.map((agent, i) => this.#define(agent, cards[i]!));
    if (this.extras.controllers !== false) this.routes.register(cards);
    this.#report(found, owner);
  }

  #find(): FoundAgent[] {
    const { publicUrl } = this.options;
    const problems =
      publicUrl === undefined || isBaseUrl(publicUrl) ? [] : [messages.INVALID_PUBLIC_URL(publicUrl)];
    problems.push(...numberProblems(this.options), ...this.#signingProblems());
    if (this.secrets.problem !== undefined) problems.push(this.secrets.problem);
    if (this.#countRoots() > 1) problems.push(messages.TWO_ROOTS);
    const found: FoundAgent[] = [];
    for (const named of this.features.list()) {
      const { agent: target } = named.feature;
      const agent = describeAgent(named.feature, this.#pathsOf(named));
      if (!agent) problems.push(messages.NOT_AN_AGENT(target.name));
      if (!this.#isProvided(target)) problems.push(messages.NOT_PROVIDED(target.name));
      if (!agent) continue;
      problems.push(...agentProblems(agent));
      found.push(agent);
    }
    problems.push(...applicationProblems(found));
    if (problems.length > 0) throw new A2ABootError(problems);
    return found;
  }

  #signingProblems(): string[] {
    const { signing, publicUrl } = this.options;
    if (!signing) return [];
    return [
      ...(publicUrl === undefined ? [messages.SIGNING_WITHOUT_PUBLIC_URL] : []),
      ...(this.signing.problem === undefined ? [] : [this.signing.problem]),
      ...(/^\/[\w.~/-]+$/.test(signing.jwksPath) ? [] : [messages.INVALID_JWKS_PATH(signing.jwksPath)]),
    ];
  }

  /** Once, before the first caller asks; a card that cannot be signed is no card. */
  async #sign(): Promise<void> {
    const { signing, publicUrl } = this.options;
    if (!signing || publicUrl === undefined) return;
    for (const { versions } of this.#cards) {
      const { card } = await versions.at(publicUrl);
      if (this.signing.puzzlesSdks(card)) this.#logger.warn(messages.SDKS_REFUSE_SIGNATURE(card.name));
    }
  }

  #countRoots(): number {
    return [...this.modules.values()].filter(({ providers }) => providers.has(A2AExplorer)).length;
  }

  /** Wherever it is provided, and whatever its scope. */
  #isProvided(agent: Type): boolean {
    try {
      this.moduleRef.introspect(agent);
      return true;
    } catch {
      return false;
    }
  }

  #pathsOf({ feature, controllers }: NamedAgent): Pick<FoundAgent, 'path' | 'barePath'> {
    const modulePath = routerPath(this.modules, A2AFeatureModule);
    const barePath = trimSlashes(joinUrl('', modulePath, feature.path));
    const route = feature.bindings[0] === 'HTTP+JSON' ? 'rest/message:send' : 'jsonrpc';
    return { barePath, path: outsidePath(this.config, controllers[0], barePath, route) };
  }

  #serve(agent: FoundAgent, wellKnown: boolean): ServedCard {
    const { path, barePath } = agent;
    return { path, barePath, wellKnown, versions: new CardVersions(cardSourceOf(agent), this.signing) };
  }

  #define(
    { feature, options, skills, path }: FoundAgent,
    { versions, wellKnown }: ServedCard,
  ): AgentDefinition {
    const baseUrl = () => this.options.publicUrl ?? listeningUrl(this.host);
    let known: AgentCard | undefined;
    return {
      id: feature.id,
      target: feature.agent,
      options,
      skills,
      path,
      wellKnown,
      // Without publicUrl the port is not known before the application listens.
      get card() {
        if (known) return known;
        const url = baseUrl();
        const card = versions.card(url ?? 'http://localhost');
        if (url) known = card;
        return card;
      },
      ...(feature.extendedCard && { extendedCard: feature.extendedCard }),
    };
  }

  #report(agents: readonly FoundAgent[], owner: FoundAgent | undefined): void {
    if (agents.length === 0) this.#logger.warn(messages.NO_AGENTS);
    else if (!owner) this.#logger.log(messages.NO_WELL_KNOWN_AGENT);
    for (const { feature, options, skills, path } of agents) {
      const { name } = feature.agent;
      if (skills.length === 0) this.#logger.warn(messages.NO_SKILLS(name));
      this.#logger.log(messages.AGENT_SERVED(options.name, name, path, feature.bindings));
    }
  }
}

/** The agent that is marked, or the only one unless it is marked otherwise. */
function wellKnownOwner(agents: readonly FoundAgent[]): FoundAgent | undefined {
  const [only] = agents.length === 1 ? agents : [];
  return (
    agents.find(({ feature }) => feature.wellKnown) ?? (only?.feature.wellKnown === false ? undefined : only)
  );
}
