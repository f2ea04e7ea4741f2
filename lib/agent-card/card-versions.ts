import { createHash } from 'node:crypto';
import type { AgentCardSigner } from '../interfaces/card-signing.js';
import type { AgentCard } from '../protocol/model.js';
import { buildAgentCard, type CardSource } from './build-agent-card.js';

/** A document, ready to be sent. */
export interface PublishedDocument {
  readonly body: Buffer;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
}

/** A card, ready to be sent. */
export interface PublishedCard extends PublishedDocument {
  readonly card: AgentCard;
}

/** Callers choose the Host header, so what is remembered for each is bounded. */
const MAX_ORIGINS = 32;

interface CardVersion {
  readonly card: AgentCard;
  published?: Promise<PublishedCard>;
}

/** The card of one agent at each base URL it is asked for, built, signed and serialised once for each. */
export class CardVersions {
  readonly #versions = new Map<string, CardVersion>();

  constructor(
    private readonly source: CardSource,
    private readonly signer?: AgentCardSigner,
  ) {}

  /** Before it is signed. */
  card(baseUrl: string): AgentCard {
    return this.#version(baseUrl).card;
  }

  /** Rejects where it cannot be signed. */
  at(baseUrl: string): Promise<PublishedCard> {
    const version = this.#version(baseUrl);
    return (version.published ??= this.#publish(version.card));
  }

  #version(baseUrl: string): CardVersion {
    const known = this.#versions.get(baseUrl);
    if (known) return known;
    const [oldest] = this.#versions.keys();
    if (oldest !== undefined && this.#versions.size >= MAX_ORIGINS) this.#versions.delete(oldest);
    const version = { card: buildAgentCard(this.source, baseUrl) };
    this.#versions.set(baseUrl, version);
    return version;
  }

  async #publish(card: AgentCard): Promise<PublishedCard> {
    const signed = this.signer ? await this.signer.sign(card) : card;
    return { card: signed, ...publishJson(signed) };
  }
}

/** Of any JSON. */
export function publishJson(value: unknown): PublishedDocument {
  const body = Buffer.from(JSON.stringify(value));
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  return { body, etag: `"${hash}"` };
}
