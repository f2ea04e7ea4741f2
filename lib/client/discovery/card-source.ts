import { AgentCardVerifier, type CardVerificationOptions } from '../../agent-card/verify-agent-card.js';
import { defined } from '../../interfaces/defined.js';
import type { AgentCard } from '../../protocol/model.js';
import {
  A2AClientError,
  AgentDiscoveryError,
  ClientClosedError,
  ProtocolViolationError,
  UnexpectedAnswerError,
} from '../client-errors.js';
import type { AgentAddress } from '../client-options.js';
import type { ClientTimeouts } from '../client-transport.js';
import type { HttpPool } from '../http/http-pool.js';
import { isObject } from '../../protocol/is-object.js';
import { untilAborted } from '../until-aborted.js';
import { cardLocations } from './card-locations.js';
import { fetchCard, type CardAnswer } from './fetch-card.js';
import { freshForMs } from './fresh-for.js';
import { OwnKeys } from './own-keys.js';

/** A card, and where it was found; nowhere when it was given. */
export interface FoundCard {
  readonly card: AgentCard;
  readonly url?: URL;
}

interface KnownCard extends Required<FoundCard> {
  readonly etag?: string;
  freshUntil: number;
}

/** What finding a card needs. */
export interface CardSourceOptions {
  readonly address: AgentAddress;
  readonly pool: HttpPool;
  readonly timeouts: ClientTimeouts;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly signatures: CardVerificationOptions | undefined;
}

/** How long a card is used on when a newer one could not be had. */
const STALE_MS = 30_000;

/** The card of one agent, kept as long as its server allows. All who need it at once wait for one request. */
export class CardSource {
  readonly #verifier: AgentCardVerifier | undefined;
  readonly #ownKeys: OwnKeys;
  readonly #places: readonly URL[];
  #known: KnownCard | undefined;
  #given: Promise<FoundCard> | undefined;
  #fetching: Promise<FoundCard> | undefined;

  /** Throws TypeError for an address that cannot be, and for keys or algorithms that are not safe. */
  constructor(private readonly options: CardSourceOptions) {
    const { signatures, address } = options;
    this.#places = cardLocations(address);
    this.#verifier = signatures && new AgentCardVerifier({ policy: 'if-present', ...defined(signatures) });
    this.#ownKeys = new OwnKeys(options.pool, options.timeouts);
  }

  /** Throws AgentDiscoveryError, AgentCardVerificationError and what exchanges throw. */
  async get(signal?: AbortSignal): Promise<FoundCard> {
    const { card } = this.options.address;
    if (card)
      return untilAborted((this.#given ??= this.#take(card).then((taken) => ({ card: taken }))), signal);
    if (this.#known && Date.now() < this.#known.freshUntil) return this.#known;
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined));
    return untilAborted(this.#fetching, signal);
  }

  async #fetch(): Promise<FoundCard> {
    const known = this.#known;
    if (!known) return this.#discover();
    try {
      return await this.#refresh(known);
    } catch (error) {
      if (!isOutage(error)) throw error;
      known.freshUntil = Date.now() + STALE_MS;
      return known;
    }
  }

  async #refresh(known: KnownCard): Promise<FoundCard> {
    const answer = await this.#ask(known.url, known.etag);
    if (answer.json !== undefined) return this.#keep(answer);
    known.freshUntil = Date.now() + freshForMs(answer.headers);
    return known;
  }

  /** One place after the other, as long as there is somebody who has no card there. */
  async #discover(): Promise<FoundCard> {
    const flaws: string[] = [];
    for (const place of this.#places) {
      try {
        return await this.#keep(await this.#ask(place));
      } catch (error) {
        if (!isElsewhere(error)) throw error;
        flaws.push(error.message);
      }
    }
    throw new AgentDiscoveryError(`The agent's card was not found: ${flaws.join('; ')}`);
  }

  #ask(url: URL, etag?: string): Promise<CardAnswer> {
    const { pool, timeouts, headers } = this.options;
    return fetchCard(
      pool,
      url,
      { ...headers(), ...(etag !== undefined && { 'if-none-match': etag }) },
      { timeouts },
    );
  }

  async #keep({ json, headers, url }: CardAnswer): Promise<FoundCard> {
    const { etag } = headers;
    const card = await this.#take(json, url);
    this.#known = {
      card,
      url,
      freshUntil: Date.now() + freshForMs(headers),
      ...(etag !== undefined && { etag }),
    };
    return this.#known;
  }

  /** What is no card is not looked at any closer: interfaces are checked when one is chosen. */
  async #take(json: unknown, url?: URL): Promise<AgentCard> {
    if (!isObject(json) || typeof json['name'] !== 'string') {
      throw new ProtocolViolationError('What was found is no agent card: it has no name');
    }
    if (this.#verifier) return (await this.#verifier.verify(json)).card;
    return url ? this.#ownKeys.verify(json, url) : (json as unknown as AgentCard);
  }
}

/** Something answered, but has no card there. One that is broken is no reason to look elsewhere, where another agent's may be. */
function isElsewhere(error: unknown): error is Error {
  return error instanceof UnexpectedAnswerError && error.status < 500 && error.status !== 429;
}

/** The agent may be well, its card is only not to be had now. */
function isOutage(error: unknown): boolean {
  if (error instanceof ClientClosedError) return false;
  return error instanceof A2AClientError;
}
