/** Ends the path of a route that serves everything below it. Express takes it as it is. */
export const WILDCARD = '*a2a';

/** What is used of the Fastify instance; the platform may not be installed. */
export interface RoutesLike {
  addHook(name: 'onRoute', hook: (route: { url: string }) => void): unknown;
}

/**
 * The two platforms have no wildcard in common: Express wants a name behind the star, Fastify wants none. Fastify lets
 * routes be changed while they are registered, so ours lose the name there.
 */
export function serveWildcardsOnFastify(fastify: RoutesLike): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url.endsWith(`/${WILDCARD}`)) route.url = route.url.slice(0, 1 - WILDCARD.length);
  });
}
