import { Inject, Injectable } from '@nestjs/common';
import { parse } from '../protocol/door.js';
import {
  ExtendedAgentCardNotConfiguredError,
  UnauthenticatedError,
  UnsupportedOperationError,
} from '../protocol/errors.js';
import type { AgentCard, SecurityScheme } from '../protocol/model.js';
import { AgentRegistry } from '../interfaces/agent-registry.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';

/** GetExtendedAgentCard (§3.1.11): the card for callers who are known. */
@Injectable()
export class ExtendedCards {
  constructor(
    private readonly registry: AgentRegistry,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  async get(call: ServerCallContext): Promise<AgentCard> {
    const { card, extendedCard } = this.registry.get(call.agent);
    if (!card.capabilities.extendedAgentCard) {
      throw new UnsupportedOperationError('This agent has no extended card: its card does not declare one');
    }
    if (!call.user && !this.options.openExtendedCard) {
      const challenges = challengesOf(card);
      throw new UnauthenticatedError('The extended card is for authenticated callers', { challenges });
    }
    if (!extendedCard) throw new ExtendedAgentCardNotConfiguredError();
    const extended =
      typeof extendedCard === 'function' ? await extendedCard(call, card) : { ...card, ...extendedCard };
    return parse('AgentCard', extended);
  }
}

/** What a caller may authenticate with; a scheme that HTTP has no name for is asked for as Bearer. */
function challengesOf({ securitySchemes = {} }: AgentCard): string[] {
  const names = Object.values(securitySchemes).map(challengeOf);
  return [...new Set(names.length > 0 ? names : ['Bearer'])].map((scheme) => `${scheme} realm="a2a"`);
}

function challengeOf(scheme: SecurityScheme): string {
  if (scheme.httpAuthSecurityScheme) return scheme.httpAuthSecurityScheme.scheme;
  return scheme.apiKeySecurityScheme ? 'ApiKey' : 'Bearer';
}
