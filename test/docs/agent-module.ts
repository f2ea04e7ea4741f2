import type { DynamicModule, ModuleMetadata, Type } from '@nestjs/common';
import { A2AModule, type A2AModuleOptions, type AgentFeature } from 'nest-a2a';

/** The root module of an application that has these agents. */
export function agentModule(
  agents: readonly (Type | AgentFeature)[],
  options: A2AModuleOptions = {},
  { imports = [], providers = [], ...metadata }: ModuleMetadata = {},
): DynamicModule {
  class RootModule {}
  const classes = agents.map((agent) => (typeof agent === 'function' ? agent : agent.agent));
  return {
    module: RootModule,
    ...metadata,
    imports: [
      A2AModule.forRoot(options),
      A2AModule.forFeature(agents),
      ...imports,
    ] as DynamicModule['imports'],
    providers: [...classes, ...providers],
  };
}
