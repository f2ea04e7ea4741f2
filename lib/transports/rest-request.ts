import type { FieldViolation } from '../protocol/error-details.js';
import { InvalidParamsError } from '../protocol/errors.js';

type Members = Record<string, unknown>;

const INTEGERS = ['pageSize', 'historyLength'];
const BOOLEANS: Readonly<Record<string, unknown>> = { true: true, false: false };

/** Query parameters as members of a request: camelCase or snake_case, the first of repeated ones, typed where JSON has a type. */
export function readQuery(query: URLSearchParams): Members {
  const members: Members = {};
  for (const [key, value] of query) {
    const name = camelCase(key);
    if (Object.hasOwn(members, name)) continue;
    define(members, name, typed(name, value));
  }
  return members;
}

/** What is no such value stays text, so that the door says which field is wrong. */
function typed(name: string, value: string): unknown {
  if (name === 'includeArtifacts') return Object.hasOwn(BOOLEANS, value) ? BOOLEANS[value] : value;
  return INTEGERS.includes(name) && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
}

/** Puts what the path says into the request. Throws InvalidParamsError when the request says otherwise. */
export function withPath(members: Readonly<Members>, path: Readonly<Record<string, string>>): Members {
  const violations: FieldViolation[] = [];
  const request = { ...members };
  for (const [name, value] of Object.entries(path)) {
    for (const key of new Set([name, snakeCase(name)])) {
      if (isDifferent(request[key], value)) {
        violations.push({ field: name, description: 'must be the same as in the path, or absent' });
      }
      delete request[key];
    }
    request[name] = value;
  }
  if (violations.length > 0) throw new InvalidParamsError(violations);
  return request;
}

function isDifferent(given: unknown, value: string): boolean {
  return given !== undefined && given !== null && given !== '' && given !== value;
}

function define(target: Members, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
