import { joinUrl } from '../../protocol/join-url.js';
import { WELL_KNOWN_PATH } from '../../agent-card/card-paths.js';
import type { AgentAddress } from '../client-options.js';

/** Where version 0.2 had it; some peers still do. */
const LEGACY_PATH = '/.well-known/agent.json';

/**
 * Where the card of an agent may be, the likeliest first (spec §8.2): below its own URL, at its origin, and at both under the name of old.
 * A URL that ends with `.json` is a card's. Throws TypeError for what is no URL.
 */
export function cardLocations({ url, cardUrl, card }: AgentAddress): URL[] {
  if (card) return [];
  if (cardUrl !== undefined) return [read(cardUrl)];
  const base = read(url);
  if (base.pathname.endsWith('.json')) return [base];
  const at = (path: string) => [base.pathname, '/'].map((place) => new URL(joinUrl('', place, path), base));
  const hrefs = [...at(WELL_KNOWN_PATH), ...at(LEGACY_PATH)].map(({ href }) => href);
  return [...new Set(hrefs)].map((href) => new URL(href));
}

function read(text: string | URL | undefined): URL {
  const url = text !== undefined && URL.canParse(String(text)) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      'An agent is given by its url, its cardUrl or its card; URLs are absolute, of http or https',
    );
  }
  if (url.username || url.password) {
    throw new TypeError('The URL of an agent holds no credentials: interceptors and headers carry them');
  }
  return url;
}
