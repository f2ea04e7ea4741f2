import type { A2AUser } from './server-call-context.js';
import { isObject } from '../protocol/is-object.js';
import type { JsonObject, JsonValue } from '../protocol/model.js';

/** Members that name the user, the first that is there. */
const ID_MEMBERS = ['id', 'sub', 'userId', 'username'] as const;
const SCOPE_MEMBERS = ['scopes', 'scope', 'roles'] as const;

/** A user object is often a whole database row; what looks like a secret stays behind. */
const SECRET = /password|passwd|secret|token|credential|api_?key|hash|salt/i;

/**
 * Makes plain JSON of what a guard left as the user: a name, or an object with `id`, `sub`, `userId` or `username` and
 * `scopes`, `scope` or `roles`; the rest become claims, beside those in `claims`.
 * @throws Error, for the developer, when there is a user but no telling who it is.
 */
export function toUser(user: unknown): A2AUser | null {
  if (user === undefined || user === null || user === false) return null;
  if (typeof user === 'string' && user !== '') return { id: user };
  const members = typeof user === 'object' ? toJson(user) : {};
  const idMember = ID_MEMBERS.find((member) => isId(members[member]));
  if (!idMember) {
    throw unusable(
      'it is neither a name nor an object with a string or number in id, sub, userId or username',
    );
  }
  const scopeMember = SCOPE_MEMBERS.find((member) => members[member] !== undefined);
  const scopes = scopeMember && toScopes(members[scopeMember]);
  const { claims: given, ...others } = members;
  const rest = Object.entries(others).filter(
    ([name]) => name !== idMember && !(scopes && name === scopeMember),
  );
  const claims = [...rest, ...(isObject(given) ? Object.entries(given) : [])].filter(
    ([name]) => !SECRET.test(name),
  );
  return {
    id: String(members[idMember]),
    ...(scopes && { scopes }),
    ...(claims.length > 0 && { claims: Object.fromEntries(claims) }),
  };
}

function isId(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function toScopes(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '');
  const isList = Array.isArray(value) && value.every((scope) => typeof scope === 'string');
  return isList ? value : undefined;
}

function toJson(user: object): JsonObject {
  try {
    const json = JSON.parse(JSON.stringify(user)) as JsonValue;
    return isObject(json) ? json : {};
  } catch (cause) {
    throw unusable('it cannot be written as JSON', { cause });
  }
}

function unusable(why: string, options?: ErrorOptions): Error {
  return new Error(
    `request.user cannot be used: ${why}. Let your guard set such a user, or give A2AModule.forRoot() a ` +
      'serverCallContextBuilder that extends UserServerCallContextBuilder and overrides userOf()',
    options,
  );
}
