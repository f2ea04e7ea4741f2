import type { AgentDefinition } from '../interfaces/agent-registry.js';
import { schemeOf } from '../interfaces/security.js';
import { challengeOf, type ChallengeError } from '../protocol/challenges.js';
import type { SecurityRefusal } from './security-verdict.js';

/** One challenge for every scheme that the card declares; that of the scheme which refused says why. */
export function refusalChallenges(refusal: SecurityRefusal, { options }: AgentDefinition): string[] {
  const schemes = Object.entries(options.securitySchemes ?? {});
  const challenges = schemes.map(([name, declaration]) =>
    challengeOf(schemeOf(declaration), name === refusal.scheme ? errorOf(refusal) : undefined),
  );
  return [...new Set(challenges)];
}

/** A call without credentials is told no error (RFC 6750 §3.1). */
function errorOf({ kind, reason, scopes }: SecurityRefusal): ChallengeError | undefined {
  if (kind === 'denied') return { error: 'insufficient_scope', scopes };
  return reason === 'missing' ? undefined : { error: 'invalid_token' };
}

/** What the caller is told: nothing of the credentials, nor of how they are checked. */
export function refusalText({ kind, scheme, reason, missingScopes = [] }: SecurityRefusal): string {
  if (kind === 'unavailable') return 'Credentials cannot be checked at present';
  if (kind === 'denied') return `The caller lacks the scope ${missingScopes.join(', ')}`;
  if (reason === 'missing') return 'Credentials are missing; the agent card says which are accepted';
  return `The credentials of the scheme ${JSON.stringify(scheme)} are not valid`;
}
