import type { ServerCallContext } from './server-call-context.js';

/**
 * Names the owner of what a call creates. Calls that resolve to one string see each other's tasks;
 * to all others they do not exist.
 *
 * @publicApi
 */
export abstract class OwnerResolver {
  abstract resolve(call: ServerCallContext): string;
}
