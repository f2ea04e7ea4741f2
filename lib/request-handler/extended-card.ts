import { Inject, Injectable } from '@nestjs/common';
import { challengesOf } from '../protocol/challenges.js';
import { parse } from '../protocol/door.js';
import {
  ExtendedAgentCardNotConfiguredError,
  UnauthenticatedError,
  UnsupportedOperationError,
} from '../protocol/errors.js';
import type { AgentCard } from '../protocol/model.js';
import { AgentRegistry } from '../interfaces/agent-registry.js';
import { AgentCardSigner } from '../interfaces/card-signing.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { ServerCallContext } from '../interfaces/server-call-context.js';

/** GetExtendedAgentCard (§3.1.11): the card for callers who are known. */
@Injectable()
export class ExtendedCards {
  constructor(
    private readonly registry: AgentRegistry,
    private readonly signer: AgentCardSigner,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  async get(call: ServerCallContext): Promise<AgentCard> {
    const { card, extendedCard } = this.registry.get(call.agent);
    if (!card.capabilities.extendedAgentCard) {
      throw new UnsupportedOperationError('This agent has no extended card: its card does not declare one');
    }
    if (!call.user && !this.options.openExtendedCard) {
      const challenges = challengesOf(card.securitySchemes);
      throw new UnauthenticatedError('The extended card is for authenticated callers', { challenges });
    }
    if (!extendedCard) throw new ExtendedAgentCardNotConfiguredError();
    const extended =
      typeof extendedCard === 'function' ? await extendedCard(call, card) : { ...card, ...extendedCard };
    return this.signer.sign(parse('AgentCard', extended));
  }
}
