import { All, Controller, Req, Res, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import { UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/internal';
import { AgentGuard, AgentInterceptor } from '../guards/agent-enhancers.js';
import { setAgentFeature } from '../guards/agent-feature.js';
import { declaresSchemes } from '../guards/has-schemes.js';
import { BINDING_PATHS, DEFAULT_AGENT_PATH } from '../interfaces/agent-paths.js';
import type { AgentFeature } from '../interfaces/agent-options.js';
import type { ProtocolBinding } from '../interfaces/server-call-context.js';
import { A2AExceptionFilter } from './a2a-exception.filter.js';
import { AgentEndpoint } from './agent-endpoint.js';
import { carryMetadata } from './carry-metadata.js';
import { SecurityGuard } from './security.guard.js';
import { WILDCARD } from './wildcard.js';

const BINDINGS: readonly ProtocolBinding[] = ['JSONRPC', 'HTTP+JSON'];

/**
 * Makes the controllers of an agent, one for each binding that it serves. They carry the metadata of the executor's
 * class, run its guards and interceptors, and are ordinary controllers otherwise: global guards, interceptors,
 * middleware, the global prefix and RouterModule apply to them. They are neutral to Nest's versioning, because A2A
 * negotiates its version by itself.
 */
export function createAgentControllers(feature: AgentFeature): Type[] {
  return (feature.bindings ?? BINDINGS).map((binding) => createController(feature, binding));
}

function createController(feature: AgentFeature, binding: ProtocolBinding): Type {
  const path = [feature.path ?? DEFAULT_AGENT_PATH, BINDING_PATHS[binding]].filter(Boolean).join('/');

  @Controller({ path, version: VERSION_NEUTRAL })
  @UseFilters(A2AExceptionFilter)
  class AgentController {
    constructor(readonly endpoint: AgentEndpoint) {}

    // One route for all paths and methods: what no operation has must be refused in the binding's shape, too.
    @All(['', WILDCARD])
    handle(@Req() request: unknown, @Res() response: unknown): Promise<void> {
      return this.endpoint.serve(request, response);
    }
  }

  bindEnhancers(feature, AgentController);
  carryMetadata(feature.agent, AgentController);
  setAgentFeature(AgentController, feature);
  const kind = binding === 'JSONRPC' ? 'JsonRpc' : 'Rest';
  Object.defineProperty(AgentController, 'name', { value: `${feature.agent.name}${kind}Controller` });
  return AgentController;
}

/** Only where the executor has some: an interceptor costs every call, even one that does nothing. */
function bindEnhancers(feature: AgentFeature, controller: Type): void {
  const { agent } = feature;
  // Before the guards of the class, which then know the user.
  if (declaresSchemes(feature)) UseGuards(SecurityGuard)(controller);
  if (Reflect.hasMetadata(GUARDS_METADATA, agent)) UseGuards(AgentGuard)(controller);
  if (Reflect.hasMetadata(INTERCEPTORS_METADATA, agent)) UseInterceptors(AgentInterceptor)(controller);
}
