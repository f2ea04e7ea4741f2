import type { SchemeOutcome } from '../interfaces/security.js';
import type { A2AUser } from '../interfaces/server-call-context.js';
import type { SecurityRequirement } from '../protocol/model.js';

/** What came of a list of requirements. */
export type SecurityVerdict = { readonly admitted: true; readonly user: A2AUser | null } | SecurityRefusal;

/** Why nobody was let in. */
export interface SecurityRefusal {
  readonly admitted: false;
  readonly kind: 'unauthenticated' | 'denied' | 'unavailable';
  readonly scheme: string;
  /** A short word; `missing`, `missing-scope`, or what the scheme says. */
  readonly reason: string;
  /** For `denied`: the scopes of the scheme that the caller lacks, and all that it needs. */
  readonly missingScopes?: readonly string[];
  readonly scopes?: readonly string[];
  readonly user?: string;
}

type Authenticate = (scheme: string) => Promise<SchemeOutcome>;

/** The refusal that says most is told: a known caller who lacks a scope learns that, and not that another key is missing. */
const WEIGHT = { denied: 3, unavailable: 2, unauthenticated: 1 };

/**
 * Meets one of the requirements, all of whose schemes accept the caller with the scopes that they ask for. An empty one
 * admits callers without credentials, but none with wrong ones.
 *
 * @param authenticate answers the same for one scheme, however often it is asked.
 */
export async function decide(
  requirements: readonly SecurityRequirement[],
  authenticate: Authenticate,
): Promise<SecurityVerdict> {
  let refusal: SecurityRefusal | undefined;
  let open = false;
  for (const { schemes = {} } of requirements) {
    const named = Object.keys(schemes);
    if (named.length === 0) {
      open = true;
      continue;
    }
    const verdict = await meet(schemes, named, authenticate);
    if (verdict.admitted) return verdict;
    if (!refusal || weightOf(verdict) > weightOf(refusal)) refusal = verdict;
  }
  if (!open && refusal) return refusal;
  if (refusal && isAboutCredentials(refusal)) return refusal;
  return { admitted: true, user: await firstUser(requirements, authenticate) };
}

/** The scheme that is named first says who the caller is. */
async function meet(
  schemes: NonNullable<SecurityRequirement['schemes']>,
  named: readonly string[],
  authenticate: Authenticate,
): Promise<SecurityVerdict> {
  const users: (A2AUser | null)[] = [];
  for (const scheme of named) {
    const outcome = await authenticate(scheme);
    if (outcome.kind !== 'accepted') return refusalOf(scheme, outcome);
    users.push(outcome.user);
  }
  for (let i = 0; i < named.length; i++) {
    const scheme = named[i]!;
    const scopes = schemes[scheme]!.list ?? [];
    const granted = users[i]?.scopes ?? [];
    const missingScopes = scopes.filter((scope) => !granted.includes(scope));
    if (missingScopes.length === 0) continue;
    const user = users[i]?.id;
    return { admitted: false, kind: 'denied', scheme, reason: 'missing-scope', missingScopes, scopes, user };
  }
  return { admitted: true, user: users.find((user) => user !== null) ?? null };
}

function refusalOf(scheme: string, outcome: Exclude<SchemeOutcome, { kind: 'accepted' }>): SecurityRefusal {
  const kind = outcome.kind === 'unavailable' ? 'unavailable' : 'unauthenticated';
  return { admitted: false, kind, scheme, reason: outcome.kind === 'absent' ? 'missing' : outcome.reason };
}

function isAboutCredentials({ kind, reason }: SecurityRefusal): boolean {
  return kind !== 'denied' && reason !== 'missing';
}

/** Refused credentials say more than none. */
function weightOf(refusal: SecurityRefusal): number {
  return WEIGHT[refusal.kind] + (isAboutCredentials(refusal) ? 0.5 : 0);
}

/** Whom an open door lets in may have said who they are nevertheless. */
async function firstUser(
  requirements: readonly SecurityRequirement[],
  authenticate: Authenticate,
): Promise<A2AUser | null> {
  for (const name of requirements.flatMap(({ schemes = {} }) => Object.keys(schemes))) {
    const outcome = await authenticate(name);
    if (outcome.kind === 'accepted') return outcome.user;
  }
  return null;
}
