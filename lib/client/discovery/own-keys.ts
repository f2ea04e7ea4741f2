import { AgentCardVerificationError } from '../../agent-card/card-verification-error.js';
import { AgentCardVerifier } from '../../agent-card/verify-agent-card.js';
import type { UrlAnswer, UrlFetchOptions, UrlGuard } from '../../interfaces/url-guard.js';
import type { AgentCard } from '../../protocol/model.js';
import type { ClientTimeouts } from '../client-transport.js';
import type { HttpPool } from '../http/http-pool.js';

/** Keys are small, and a card waits for them. */
const KEYS_MS = 10_000;

/**
 * Judges signed cards where the application names nobody whom it trusts: by the keys that the card's own origin publishes over https (`jku`).
 * That shows that the card is what the agent's operator signed, whoever stored or carried it. A signature by other keys says nothing here.
 */
export class OwnKeys {
  readonly #verifiers = new Map<string, AgentCardVerifier>();
  readonly #guard: Pick<UrlGuard, 'fetch'>;

  constructor(pool: HttpPool, timeouts: ClientTimeouts) {
    this.#guard = { fetch: (url, options) => fetchKeys(pool, timeouts, url, options) };
  }

  /** @throws AgentCardVerificationError where the signature is not of this card, or its keys cannot be had. */
  async verify(json: unknown, { protocol, origin }: URL): Promise<AgentCard> {
    if (protocol !== 'https:') return json as AgentCard;
    try {
      return (await this.#verifierOf(origin).verify(json)).card;
    } catch (error) {
      if (error instanceof AgentCardVerificationError && error.reason === 'unknown-key')
        return json as AgentCard;
      throw error;
    }
  }

  #verifierOf(origin: string): AgentCardVerifier {
    const known = this.#verifiers.get(origin);
    if (known) return known;
    const options = { policy: 'if-present', jku: [origin], guard: this.#guard, acceptSdkForm: true } as const;
    const verifier = new AgentCardVerifier(options);
    this.#verifiers.set(origin, verifier);
    return verifier;
  }
}

/** Through the client's own connections: it is where the card was fetched from. */
async function fetchKeys(
  pool: HttpPool,
  timeouts: ClientTimeouts,
  url: string,
  { headers = {}, maxBytes = pool.maxAnswerBytes }: UrlFetchOptions = {},
): Promise<UrlAnswer> {
  const { origin, pathname, search } = new URL(url);
  const exchange = await pool.send(
    {
      method: 'GET',
      origin,
      path: pathname + search,
      headers: { ...headers, 'accept-encoding': 'identity' },
    },
    { timeouts: { ...timeouts, totalMs: KEYS_MS } },
  );
  const { status } = exchange;
  return { status, headers: {}, body: Buffer.from(await exchange.text(maxBytes)) };
}
