import type { AgentAddress } from '../client-options.js';

/**
 * Where an application's own headers may go: to the agent that it named, at its origin, and to the origins that it trusts besides. A card
 * that it gave itself is trusted with all its interfaces; one that was fetched could lead to anybody.
 */
export class TrustedOrigins {
  readonly #origins: ReadonlySet<string> | undefined;

  /** Throws TypeError for what is no origin. */
  constructor({ url, cardUrl }: AgentAddress, others: readonly string[] = []) {
    const named = url ?? cardUrl;
    const more = others.map(readOrigin);
    this.#origins = named === undefined ? undefined : new Set([new URL(named).origin, ...more]);
  }

  has(url: string): boolean {
    return this.#origins?.has(new URL(url).origin) ?? true;
  }
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new TypeError(
      `trustedOrigins has ${JSON.stringify(text)}, which is no origin: name one as in "https://billing.example"`,
    );
  }
  return url.origin;
}
