import type { SchemeOutcome } from '../../interfaces/security.js';
import { validated, type ValidatedUser } from '../schemes/validated.js';
import { fetchWithin } from './fetch-within.js';
import { userOf } from './jwt-verifier.js';
import { outage } from './outage.js';
import { TokenCache } from './token-cache.js';
import { trustedUrl } from './trusted-url.js';

const MAX_ANSWER = 64 * 1_024;
const MAX_TOKEN = 16 * 1_024;

/** What an authorization server says of a token (RFC 7662 §2.2), and what it adds. */
export interface Introspection {
  readonly active: boolean;
  readonly [claim: string]: unknown;
}

/** Where to ask about access tokens. */
export interface IntrospectionOptions {
  /** https, unless it is on this machine. */
  readonly url: string | URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** In ms. Default 5 000. */
  readonly timeoutMs?: number;
  /** How long an active token is not asked about again, in seconds, and never past its `exp`. At most 60; default 30; 0 asks every time. */
  readonly cacheSeconds?: number;
}

/** Whom tokens must be from and for. */
export interface IntrospectionChecks {
  readonly issuer?: string | readonly string[];
  readonly audience?: string | readonly string[];
  readonly clockToleranceSeconds?: number;
  readonly user?: (claims: Introspection) => ValidatedUser | Promise<ValidatedUser>;
}

/** Asks the authorization server about each access token (RFC 7662). */
export class Introspector {
  readonly #url: URL;
  readonly #cache: TokenCache;
  readonly #fetch: ReturnType<typeof fetchWithin>;
  readonly #authorization: string;

  constructor(
    options: IntrospectionOptions,
    private readonly checks: IntrospectionChecks,
  ) {
    this.#url = trustedUrl(options.url);
    this.#cache = new TokenCache(options.cacheSeconds ?? 30);
    this.#fetch = fetchWithin({ maxBytes: MAX_ANSWER, timeoutMs: options.timeoutMs });
    const pair = `${formEncode(options.clientId)}:${formEncode(options.clientSecret)}`;
    this.#authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }

  async verify(token: string): Promise<SchemeOutcome> {
    if (token.length > MAX_TOKEN) return { kind: 'refused', reason: 'too-long' };
    const user = this.#cache.get(token);
    if (user) return { kind: 'accepted', user };
    let claims: Introspection;
    try {
      claims = await this.#ask(token);
    } catch (error) {
      return outage('The answer of a token introspection', error);
    }
    const reason = this.#refuse(claims);
    if (reason) return { kind: 'refused', reason };
    const outcome = await validated(() => (this.checks.user ?? userOf)(claims));
    if (outcome.kind === 'accepted' && outcome.user)
      this.#cache.set(token, outcome.user, numberOf(claims['exp']));
    return outcome;
  }

  async #ask(token: string): Promise<Introspection> {
    const response = await this.#fetch(this.#url, {
      method: 'POST',
      headers: { authorization: this.#authorization, accept: 'application/json' },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    });
    if (response.status !== 200) throw new Error(`It has the status ${response.status}`);
    const answer: unknown = await response.json().catch(() => undefined);
    const isAnswer = typeof answer === 'object' && answer !== null && 'active' in answer;
    if (!isAnswer) throw new Error('It is no introspection response');
    return answer as Introspection;
  }

  /** The server has checked the token; this makes sure that it did, and that the token is meant for us. */
  #refuse({ active, exp, nbf, iss, aud }: Introspection): string | undefined {
    if (active !== true) return 'inactive';
    const { issuer, audience, clockToleranceSeconds = 5 } = this.checks;
    const now = Date.now() / 1_000;
    if (exp !== undefined && !(Number(exp) + clockToleranceSeconds > now)) return 'expired';
    if (nbf !== undefined && !(Number(nbf) - clockToleranceSeconds <= now)) return 'not-yet-valid';
    // Servers may leave the issuer out, as it is themselves.
    if (issuer !== undefined && iss !== undefined && !overlap(iss, issuer)) return 'issuer';
    return audience !== undefined && !overlap(aud, audience) ? 'audience' : undefined;
  }
}

function overlap(claim: unknown, accepted: string | readonly string[]): boolean {
  return [claim].flat().some((value) => [accepted].flat().includes(value as string));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** As RFC 6749 §2.3.1 has it, which also keeps a colon in an id from ending it. */
function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
