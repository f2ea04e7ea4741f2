import {
  Inject,
  Module,
  NotFoundException,
  Optional,
  type MiddlewareConsumer,
  type NestModule,
} from '@nestjs/common';
import { A2ABootError } from './a2a.boot-error.js';
import { A2A_EXTRAS } from './a2a.constants.js';
import { AgentFeatures, type NamedAgent } from './a2a.features.js';
import { FEATURE_WITHOUT_ROOT } from './a2a.messages.js';
import type { A2AModuleExtras } from './interfaces/module-options.js';

/** Token of the agents that one forFeature() names. */
export const NAMED_AGENTS = Symbol('NAMED_AGENTS');

/** Holds the controllers that one forFeature() generates. RouterModule puts all of them below the path of forRoot(). */
@Module({})
export class A2AFeatureModule implements NestModule {
  constructor(
    @Inject(NAMED_AGENTS) private readonly agents: readonly NamedAgent[],
    @Optional() features?: AgentFeatures,
    @Optional() @Inject(A2A_EXTRAS) private readonly extras?: A2AModuleExtras,
  ) {
    // Nest makes a module's providers before its controllers, so this comes before its own, less telling error.
    if (!features) throw new A2ABootError([FEATURE_WITHOUT_ROOT]);
    features.add(agents);
  }

  /** With `controllers: false` the generated routes do not exist for the outside, as if nothing were there. */
  configure(consumer: MiddlewareConsumer): void {
    const controllers = this.agents.flatMap((agent) => agent.controllers);
    if (this.extras?.controllers === false && controllers.length > 0) {
      consumer.apply(answerNotFound).forRoutes(...controllers);
    }
  }
}

function answerNotFound(request: { method: string; originalUrl: string }): never {
  throw new NotFoundException(`Cannot ${request.method} ${request.originalUrl}`);
}
