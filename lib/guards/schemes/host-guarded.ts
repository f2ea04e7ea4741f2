import { HOST_GUARD, type GuardedScheme } from '../../interfaces/security.js';
import type { SecurityScheme } from '../../protocol/model.js';

/**
 * Says that the application guards this scheme by itself, with a global guard or one on the agent's class: the card
 * shows it, and requirements that name only such schemes are left to those guards, scopes included.
 *
 * @publicApi
 * @example
 * securitySchemes: { bearer: hostGuarded({ httpAuthSecurityScheme: { scheme: 'Bearer' } }) }
 */
export function hostGuarded(scheme: SecurityScheme): GuardedScheme {
  return { scheme, guard: HOST_GUARD };
}
