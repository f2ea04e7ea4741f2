import { isDeepStrictEqual } from 'node:util';
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
  const known = (user as Kept)[AS_KEPT];
  // Whatever comes after the guard may have changed it.
  if (known && isDeepStrictEqual(user, known)) return known;
  const members = typeof user === 'object' ? toJson(user) : {};
  const idMember = ID_MEMBERS.find((member) => isId(members[member]));
  if (!idMember) {
    throw unusable(
      'it is neither a name nor an object with a string or number in id, sub, userId or username',
    );
  }
  const scopeMember = SCOPE_MEMBERS.find((member) => members[member] !== undefined);
  const scopes = scopeMember && toScopes(members[scopeMember]);
  const claims: [string, unknown][] = [];
  for (const name of Object.keys(members)) {
    const isTaken = name === idMember || name === 'claims' || (scopes && name === scopeMember);
    if (!isTaken && !SECRET.test(name)) claims.push([name, members[name]]);
  }
  const given = members['claims'];
  if (isObject(given))
    for (const name of Object.keys(given)) if (!SECRET.test(name)) claims.push([name, given[name]]);
  return {
    id: String(members[idMember]),
    ...(scopes && { scopes }),
    ...(claims.length > 0 && { claims: Object.fromEntries(claims) as JsonObject }),
  };
}

/** Key of what a user is that will come again. */
const AS_KEPT = Symbol('A2A user');

type Kept = { [AS_KEPT]?: A2AUser };

/** For a user who is remembered with a token: it is made plain once, and not for each call. */
export function keepUser(user: A2AUser): A2AUser {
  const kept = toUser(user)!;
  Object.freeze(kept.scopes);
  Object.freeze(kept.claims);
  // A copy that nobody else has, for users are the host's to change.
  return Object.defineProperty({ ...user }, AS_KEPT, { value: Object.freeze(kept) });
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
    const json = copyPlain(user) ?? (JSON.parse(JSON.stringify(user)) as JsonValue);
    return isObject(json) ? json : {};
  } catch (cause) {
    throw unusable('it cannot be written as JSON', { cause });
  }
}

/** A copy of what is plain JSON already, at a fraction of the cost; undefined for everything else. */
function copyPlain(value: unknown): JsonValue | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object') return undefined;
  if (Array.isArray(value)) {
    const items = value.map(copyPlain).filter((item) => item !== undefined);
    return items.length === value.length ? items : undefined;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member = copyPlain((value as Record<string, unknown>)[name]);
    if (member === undefined || name === '__proto__') return undefined;
    copy[name] = member;
  }
  return copy;
}

function unusable(why: string, options?: ErrorOptions): Error {
  return new Error(
    `request.user cannot be used: ${why}. Let your guard set such a user, or give A2AModule.forRoot() a ` +
      'serverCallContextBuilder that extends UserServerCallContextBuilder and overrides userOf()',
    options,
  );
}
