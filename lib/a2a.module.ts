import { Module, type DynamicModule, type ModuleMetadata, type NestModule, type Type } from '@nestjs/common';
import { A2AExplorer } from './a2a.explorer.js';
import { A2AFeatureModule, NAMED_AGENTS } from './a2a.feature-module.js';
import { resolveFeature, type NamedAgent } from './a2a.features.js';
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type OPTIONS_TYPE,
} from './a2a.module-definition.js';
import type { AgentFeature } from './interfaces/agent-options.js';
import { createAgentControllers } from './transports/agent-controller.js';

/**
 * Makes providers A2A agents: `forRoot()` once in the root module, `forFeature()` wherever agents are provided.
 *
 * @publicApi
 * @example
 * @Module({
 *   imports: [A2AModule.forRoot({ publicUrl: 'https://api.example.com' }), A2AModule.forFeature([OrderAgent])],
 *   providers: [OrderAgent],
 * })
 * export class AppModule {}
 */
@Module({})
export class A2AModule extends ConfigurableModuleClass implements NestModule {
  constructor(private readonly explorer: A2AExplorer) {
    super();
  }

  /**
   * Nest asks for middleware after the host's own `app.use()` and before it adds any route, which is when the routes
   * of the cards must come: on Express a catch-all route of the host would otherwise hide them.
   */
  configure(): void {
    this.explorer.explore();
  }

  /** What agents of this application share. */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** The same with options that are made by a factory, a class or an existing provider; `path`, `isGlobal` and `controllers` are given beside it. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }

  /**
   * Names agents and generates their routes. It does not provide them: an agent needs the providers of its own module.
   * @param metadata `imports` is needed only when forRoot() has `isGlobal: false`: pass the same dynamic module.
   */
  static forFeature(
    agents: readonly (Type | AgentFeature)[],
    metadata: Pick<ModuleMetadata, 'imports'> = {},
  ): DynamicModule {
    const named = agents
      .map(resolveFeature)
      .map((feature): NamedAgent => ({ feature, controllers: createAgentControllers(feature) }));
    return {
      module: A2AFeatureModule,
      imports: metadata.imports,
      controllers: named.flatMap(({ controllers }) => [...controllers]),
      providers: [{ provide: NAMED_AGENTS, useValue: named }],
    };
  }
}
