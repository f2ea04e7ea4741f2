import { Controller, Post, type Type } from '@nestjs/common';
import type { ResolvedFeature } from './a2a.features.js';

/** Stands in for the transports until they are there. */
export function createAgentControllers(feature: ResolvedFeature): Type[] {
  @Controller(`${feature.path}/jsonrpc`)
  class JsonRpcController {
    @Post()
    post() {
      return 'jsonrpc';
    }
  }
  @Controller(`${feature.path}/rest`)
  class RestController {
    @Post('message\\:send')
    post() {
      return 'rest';
    }
  }
  return [JsonRpcController, RestController];
}
