import { joinUrl } from '../protocol/join-url.js';

/** Where a client looks for the card of whatever is at a URL (§8.2). */
export const WELL_KNOWN_PATH = '/.well-known/agent-card.json';

/** What decides where an agent's card is served. */
export interface CardPlace {
  /** Path as the outside sees it: global prefix and version included. */
  readonly path: string;
  /** The same without global prefix and version. */
  readonly barePath: string;
  readonly wellKnown: boolean;
}

/**
 * Which card is served at which path: the owner's at the origin, each agent's below its own path, and below that path
 * without global prefix and version unless something else is there.
 */
export function cardPaths<Place extends CardPlace>(places: readonly Place[]): Map<string, Place> {
  const paths = new Map<string, Place>();
  const claim = (path: string, place: Place) => {
    const route = joinUrl('', path, WELL_KNOWN_PATH);
    if (!paths.has(route)) paths.set(route, place);
  };
  for (const place of places) if (place.wellKnown) claim('', place);
  for (const place of places) claim(place.path, place);
  for (const place of places) claim(place.barePath, place);
  return paths;
}
