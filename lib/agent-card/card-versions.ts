import { createHash } from 'node:crypto';
import type { AgentCard } from '../protocol/model.js';
import { buildAgentCard, type CardSource } from './build-agent-card.js';

/** A card, ready to be sent. */
export interface PublishedCard {
  readonly card: AgentCard;
  readonly body: Buffer;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
}

/** Callers choose the Host header, so what is remembered for each is bounded. */
const MAX_ORIGINS = 32;

/** The card of one agent at each base URL it is asked for, built and serialised once for each. */
export class CardVersions {
  readonly #published = new Map<string, PublishedCard>();

  constructor(private readonly source: CardSource) {}

  at(baseUrl: string): PublishedCard {
    const known = this.#published.get(baseUrl);
    if (known) return known;
    const [oldest] = this.#published.keys();
    if (oldest !== undefined && this.#published.size >= MAX_ORIGINS) this.#published.delete(oldest);
    const published = publish(buildAgentCard(this.source, baseUrl));
    this.#published.set(baseUrl, published);
    return published;
  }
}

function publish(card: AgentCard): PublishedCard {
  const body = Buffer.from(JSON.stringify(card));
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  return { card, body, etag: `"${hash}"` };
}
